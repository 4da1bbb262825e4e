"""A notebook as a page: what is written, what is run, and what came of it."""

import base64
import json
import re


def page(text):
    """The Markdown of a notebook, given as its JSON."""
    cells = json.loads(text)["cells"]
    parts = [part for cell in cells for part in _cell(cell)]
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


def _cell(cell):
    source = _text(cell["source"]).rstrip()
    if cell["cell_type"] == "markdown":
        yield source
    elif cell["cell_type"] == "code" and source:
        yield _fenced("python", source)
        for output in cell["outputs"]:
            yield _output(output)


def _output(output):
    """The best of the forms an output comes in: a picture, a table, words."""
    if output["output_type"] == "stream":
        # What goes to stderr is progress, and passes.
        return _words(_text(output["text"])) if output["name"] == "stdout" else ""
    if output["output_type"] == "error":
        return _words("\n".join(output["traceback"]))
    data = {kind: _text(value) for kind, value in output["data"].items() if isinstance(value, (str, list))}
    if "image/svg+xml" in data:
        return _picture("image/svg+xml", base64.b64encode(data["image/svg+xml"].encode()).decode(), data)
    if "image/png" in data:
        return _picture("image/png", data["image/png"].replace("\n", ""), data)
    if "text/html" in data:
        # In lines without empty ones between them Markdown leaves HTML alone.
        html = re.sub(r"\n\s*\n", "\n", data["text/html"].strip())
        return f'<div class="notebook-output">\n{html}\n</div>'
    if "text/markdown" in data:
        return data["text/markdown"]
    return _words(data.get("text/plain", ""))


def _words(text):
    block = _fenced("text", _plain(text))
    return f'<div class="notebook-output" markdown="1">\n\n{block}\n\n</div>' if block else ""


def _picture(kind, content, data):
    told = _plain(data.get("text/plain", "")).strip().replace('"', "&quot;").replace("<", "&lt;").replace("\n", " ")
    return f'<p class="notebook-output"><img alt="{told}" src="data:{kind};base64,{content}"></p>'


def _fenced(kind, text):
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{kind}\n{text.rstrip()}\n{fence}" if text.strip() else ""


def _plain(text):
    """Without the colours of a terminal, and of lines that were written over only the last."""
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
    return "\n".join(line.rsplit("\r", 1)[-1] for line in text.split("\n"))


def _text(value):
    return value if isinstance(value, str) else "".join(value)

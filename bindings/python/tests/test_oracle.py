"""Recommenders in other processes and behind HTTP, asked from Python."""

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import grease

EXAMPLE = Path(__file__).parents[3] / "examples" / "oracle" / "oracle.py"


@pytest.fixture(scope="module")
def interactions(tmp_path_factory):
    data = grease.Interactions.sample(users=60, artists=40)
    file = tmp_path_factory.mktemp("oracle") / "interactions.tsv"
    users, items = data.user_ids, data.item_ids
    lines = [f"{users[user]}\t{items[item]}\n" for user, item in zip(*(rows.tolist() for rows in data.rows()))]
    file.write_text("user\titem\n" + "".join(lines))
    return file


@pytest.fixture
def served(interactions):
    """The example behind a real server: busy at first, counting connections, and refusing who has no token."""
    program = subprocess.Popen([sys.executable, EXAMPLE, interactions], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    turn, seen = threading.Lock(), {"connections": 0, "refused": 0}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self):
            seen["connections"] += 1
            super().setup()

        def answer(self, status, body=b""):
            self.send_response(status)
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            busy, known = seen["refused"] == 0, self.headers.get("Authorization") == "Bearer sesame"
            if busy or not known:
                seen["refused"] += 1
                return self.answer(503 if busy else 401)
            with turn:
                program.stdin.write(body.strip() + b"\n")
                program.stdin.flush()
                answer = program.stdout.readline()
            self.answer(200, answer)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", seen
    server.shutdown()
    program.kill()


def explained(explainer):
    why = explainer.explain_list("mira", k=4)
    assert any(one.verified for one in why)
    assert all(verdict.verdict != "no_longer_holds" for verdict in explainer.verify(why))
    return [(one.item, one.goal, one.status, one.rank_after, one.sentence) for one in why]


def test_a_process_and_a_service_give_the_same_explanations(interactions, served):
    data = grease.Interactions.read(interactions)
    command = f"{sys.executable} {EXAMPLE} {interactions}"
    process = grease.Explainer(grease.Oracle(command=command, workers=2), data)
    url, seen = served
    service = grease.Explainer(grease.Oracle(url=url, token="sesame"), data)
    assert explained(process) == explained(service)
    assert seen["refused"] == 1, "busy once, then asked again"
    report = service.oracle_report
    assert report["questions"] > 0 and report["retries"] == 1 and report["latency_ms"]["median"] > 0
    assert report["from_memory"] > 0, "some of what verifying asks was asked before"
    assert seen["connections"] <= 2, "connections are used again"


def test_failures_are_exceptions(interactions, served):
    data = grease.Interactions.read(interactions)
    with pytest.raises(grease.RecommenderError, match="ended"):
        grease.Explainer(grease.Oracle(command="exit 3"), data)
    url, seen = served
    seen["refused"] = 1
    with pytest.raises(grease.RecommenderError, match="401") as caught:
        grease.Explainer(grease.Oracle(url=url, token="open it"), data)
    assert "open it" not in str(caught.value) and "sesame" not in repr(grease.Oracle(url=url, token="sesame"))
    with pytest.raises(grease.UsageError, match="1025 workers are too many"):
        grease.Explainer(grease.Oracle(command="exit 3", workers=1025), data)
    with pytest.raises(TypeError, match="a command or a url"):
        grease.Oracle()
    with pytest.raises(grease.UsageError, match="needs the interactions"):
        grease.Explainer(grease.Oracle(url="http://127.0.0.1:1/"))

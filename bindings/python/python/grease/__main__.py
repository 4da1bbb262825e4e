"""The command ``grease``, also as ``python -m grease``: the same as the binary, inside this package."""

import shlex
import signal
import sys
from pathlib import Path

from ._native import command


def main() -> int:
    """Does what the command line says; the exit code."""
    # Rust answers Ctrl-C itself, or is ended by it: Python's own handler would wait until the work is done.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    name, *words = sys.argv
    as_module = Path(name).name == "__main__.py"
    called = f"{shlex.quote(sys.executable)} -m grease" if as_module else shlex.quote(name)
    return command(called, words)


if __name__ == "__main__":
    sys.exit(main())

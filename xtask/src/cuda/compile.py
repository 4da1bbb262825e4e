"""Compiles the kernels by the NVRTC of this environment.

    compile.py ptx SOURCE     for every card from compute capability 8.0 on, as PTX, to standard output
    compile.py try SOURCE     for each such card this NVRTC knows, as it would run there; one JSON object a line says what came of it

Only the standard library is used, and no card is needed.
"""

import ctypes
import hashlib
import importlib.metadata
import json
import pathlib
import re
import sys
import time

PACKAGE = "nvidia-cuda-nvrtc-cu12"
LIBRARY = "libnvrtc.so.12"
# The oldest cards the kernels are for: 16 bytes a lane, and enough shared memory.
OLDEST = 80


def load():
    """The library, which lies where no loader looks for it."""
    found = [file for file in importlib.metadata.files(PACKAGE) or [] if file.name == LIBRARY]
    if not found:
        sys.exit(f"{PACKAGE} has no {LIBRARY}: it is for Linux")
    return ctypes.CDLL(str(found[0].locate()))


class Nvrtc:
    def __init__(self):
        self.library = load()
        self.library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            sys.exit(f"{name}: {self.library.nvrtcGetErrorString(code).decode()}")

    def architectures(self):
        """Compute capabilities it compiles for, as 80."""
        count = ctypes.c_int()
        self.call("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        known = (ctypes.c_int * count.value)()
        self.call("nvrtcGetSupportedArchs", known)
        return list(known)

    def text(self, program, what):
        """Something of a program's, by the name NVRTC has for it."""
        size = ctypes.c_size_t()
        self.call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self.call(f"nvrtcGet{what}", program, text)
        # It ends with a zero, for programs in C.
        return text.raw.rstrip(b"\0").decode()

    def compile(self, source, *options):
        """A program, and what the compiler said of it."""
        program = ctypes.c_void_p()
        self.call("nvrtcCreateProgram", ctypes.byref(program), source, b"kernels.cu", 0, None, None)
        options = [b"--std=c++17", *(option.encode() for option in options)]
        code = self.library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        log = self.text(program, "ProgramLog")
        if code:
            sys.exit(log)
        return program, log


def ptx(nvrtc, source):
    program, log = nvrtc.compile(source, f"--gpu-architecture=compute_{OLDEST}")
    sys.stderr.write(log)
    version = importlib.metadata.version(PACKAGE)
    made = f"// Made by `cargo xtask cuda` with NVRTC {version}.\n// SHA-256 of the source: {hashlib.sha256(source).hexdigest()}\n"
    sys.stdout.write(made + nvrtc.text(program, "PTX"))


def resources(log):
    """What each kernel takes, from the assembler's notes: registers a thread, and bytes it had no register for."""
    kernels, name = {}, None
    for line in log.splitlines():
        if begins := re.search(r"Compiling entry function '(\w+)'", line):
            name = begins[1]
            kernels[name] = {"registers": 0, "spilled": 0}
        elif name and (spills := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line)):
            kernels[name]["spilled"] += int(spills[1]) + int(spills[2])
        elif name and (used := re.search(r"Used (\d+) registers", line)):
            kernels[name]["registers"] = int(used[1])
    return kernels


def attempt(nvrtc, source):
    for architecture in nvrtc.architectures():
        if architecture < OLDEST:
            continue
        start = time.monotonic()
        _, log = nvrtc.compile(source, f"--gpu-architecture=sm_{architecture}", "--ptxas-options=-v")
        seconds = time.monotonic() - start
        print(json.dumps({"architecture": architecture, "seconds": seconds, "kernels": resources(log)}), flush=True)


def main():
    what, source = sys.argv[1], pathlib.Path(sys.argv[2]).read_bytes()
    {"ptx": ptx, "try": attempt}[what](Nvrtc(), source)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes the seeds that are not text: `python3 fuzz/seeds.py target/debug/grease`, from the root of the workspace.

Everything comes from the command itself, but for the arrays of NumPy, the answers of an oracle, requests and a signed link.
"""

import base64
import hashlib
import hmac
import io
import json
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEEDS = HERE / "seeds"
DATA = HERE / "data.tsv"
ITEMS = ["tea", "cake", "jam", "milk", "salt", "soap"]


def put(target, name, data):
    folder = SEEDS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def npy(descr, shape, data, fortran=False):
    line = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    line += " " * (63 - (10 + len(line)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(line)) + line.encode() + data


def table(rows, width):
    return b"".join(struct.pack("<f", 0.1 * value) for value in range(rows * width))


def npz(method, arrays):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, array in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), array, method)
    return file.getvalue()


def safetensors(kind, size, tensors):
    header, data = {}, b""
    for name, shape in tensors.items():
        count = 1
        for length in shape:
            count *= length
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + count * size]}
        data += bytes(count * size)
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + data


def without_hash(checkpoint):
    """As version 1 wrote it."""
    (length,) = struct.unpack("<Q", checkpoint[:8])
    header = json.loads(checkpoint[8 : 8 + length])
    text = header["__metadata__"].pop("grease.checkpoint/2")
    header["__metadata__"]["grease.checkpoint/1"] = text.split("\n", 1)[1]
    head = json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(head)) + head + checkpoint[8 + length :]


def weights():
    users, items = npy("<f4", (3, 2), table(3, 2)), npy("<f4", (4, 2), table(4, 2))
    put("npy", "f4.npy", users)
    put("npy", "f8-fortran.npy", npy("<f8", (2, 2), struct.pack("<4d", 1, 2, 3, 4), True))
    put("npy", "f2-big.npy", npy(">f2", (3,), struct.pack(">3e", 1, 2, 3)))
    lightgcn = {"embedding_user.weight": users, "embedding_item.weight": items}
    put("npz", "stored.npz", npz(zipfile.ZIP_STORED, lightgcn))
    put("npz", "deflated.npz", npz(zipfile.ZIP_DEFLATED, lightgcn))
    two = {"user_embedding": [3, 2], "item_embedding": [4, 2]}
    put("safetensors", "f16.safetensors", safetensors("F16", 2, two))
    ngcf = {f"layer.0.{name}": [2, 2] for name in ("w1", "w2")} | {f"layer.0.{name}": [2] for name in ("b1", "b2")}
    put("safetensors", "ngcf.safetensors", safetensors("F32", 4, two | ngcf))


def models(grease, place):
    for kind in ("lightgcn", "ngcf"):
        out = place / kind
        grease(f"train --interactions {DATA} --kind {kind} --dim 2 --layers 1 --epochs 2 --train-share 1 --out {out}")
        files = ["model.json", "users.tsv", "items.tsv", "train.tsv", "test.tsv", "model.safetensors"]
        put("model_folder", kind, b"\n=====\n".join((out / file).read_bytes() for file in files))
        checkpoint = (out / "checkpoint.safetensors").read_bytes()
        put("checkpoint", f"{kind}.safetensors", checkpoint)
        put("checkpoint", f"{kind}-1.safetensors", without_hash(checkpoint))


def runs(grease, place):
    model, people = f"--model {place}/lightgcn", place / "people.txt"
    put("explanations", "one.json", grease(f"explain {model} --user ada -k 1 --format json"))
    put("explanations", "wide.jsonl", grease(f"explain {model} --user bob -k 1 --scope target --format jsonl"))
    put("explanations", "new.json", grease(f"explain {model} --history tea,jam -k 1 --format json"))
    people.write_text("ada\nnobody\n")
    batch = f"batch {model} --users {people} -k 1 --goal factual"
    grease(f"{batch} --out {place}/a.jsonl")
    put("explanations", "batch.jsonl", (place / "a.jsonl").read_bytes())
    lines = []
    for line in (place / "a.jsonl").read_text().splitlines():
        row = json.loads(line)
        unit = {"user": row["user"], **({"error": row["error"]} if "error" in row else {"records": [row]})}
        lines.append(json.dumps(unit, ensure_ascii=False, separators=(",", ":")))
    put("journal", "old.jsonl", "".join(f"{line}\n" for line in lines))
    sums = [hashlib.sha256(line[:-1].encode()).hexdigest()[:16] for line in lines]
    put("journal", "new.jsonl", "".join(f'{line[:-1]},"sum":"{sum}"}}\n' for line, sum in zip(lines, sums)))
    grease(f"{batch} --shard 1/1 --out {place}/a.parquet")
    put("batch_table", "part.parquet", (place / "a.parquet").read_bytes())


def interactions(grease, place):
    grease(f"data convert {DATA} --format parquet --out {place}/plain.parquet")
    put("parquet", "plain.parquet", (place / "plain.parquet").read_bytes())
    shutil.copy(DATA, place / "titled.tsv")
    (place / "items.tsv").write_text("item\ttitle\ntea\tTea\ncake\tCake\n")
    grease(f"data convert {place}/titled.tsv --format parquet --out {place}/titled.parquet")
    put("parquet", "titled.parquet", (place / "titled.parquet").read_bytes())


def oracle():
    hello = {"grease": "oracle/1", "id": 0, "name": "m", "items": ITEMS, "abilities": ["neutral", "others"]}
    row = [0.5, -1, 2, 0.25, 1e-3, 3]
    text = base64.b64encode(struct.pack("<6f", *row)).decode()

    def lines(*answers):
        return "\n".join(json.dumps(answer, separators=(",", ":")) for answer in answers)

    put("oracle", "numbers", lines(hello, {"id": 1, "scores": [row]}, {"id": 2, "scores": [row, row]}))
    put("oracle", "base64", lines(hello, {"id": 1, "scores_f32": [text]}, {"id": 2, "scores_f32": [text, text]}))
    vectors = {"id": 3, "width": 1, "users": [[1]] * 5, "items": [[2]] * 6}
    shown = hello | {"embeddings": True}
    put("oracle", "embeddings", lines(shown, {"id": 1, "scores": [row]}, {"id": 2, "scores": [row, row]}, vectors))
    ranked = {"top": [["tea", 3], ["jam", 2], ["soap", 1]], "items": {item: 0.5 for item in ITEMS}}
    first = hello | {"top": 3}
    put("oracle", "ranked", lines(first, {"id": 1, "ranked": [ranked]}, {"id": 2, "ranked": [ranked, ranked]}))


def service():
    def post(address, body):
        return f"POST {address}\n{json.dumps(body)}"

    put("http", "explain", post("/api/explanations", {"user": "ada", "k": 2, "goals": ["factual"], "queries": 20}))
    put("http", "new", post("/api/explanations", {"history": ["tea"], "k": 1, "never_cite": ["jam"], "queries": 9}))
    put("http", "what-if", post("/api/what-if", {"user": "ada", "remove": ["tea"], "add": ["milk"], "k": 2}))
    put("http", "list", "GET /api/users/ada/recommendations?k=2\n")
    put("http", "search", "GET /api/users?query=ad\n")
    seconds, user = 5_000_000_000, "ada"
    signature = hmac.digest(b"a key for the fuzzer", f"grease.link/1\n{seconds}\n{user}".encode(), "sha256")
    plain = [base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (user.encode(), signature)]
    put("link", "good", f"{plain[0]}.{seconds}.{plain[1]}")


def main():
    command = str(Path(sys.argv[1]).resolve())

    def grease(line):
        return subprocess.run([command, *line.split(), "-q"], check=True, stdout=subprocess.PIPE).stdout

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        weights()
        models(grease, place)
        runs(grease, place)
        interactions(grease, place)
    oracle()
    service()


main()

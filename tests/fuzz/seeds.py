#!/usr/bin/env python3
"""Writes the seeds of tests/fuzz/run to a folder: a file for each document of
tests/corpus and examples/, after the name of its schema, and for each case of
the public suite."""

import hashlib
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITE = pathlib.Path("/usr/share/json-schema-test-suite/tests/draft7")


def documents():
    """The project's documents; a file's name begins with that of its schema."""
    for folder in ["tests/corpus", "examples"]:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in {".json", ".bad"}:
                kind = path.stem.split("-")[0]
                yield kind.encode() + b"\n" + path.read_bytes()


def suite_cases():
    """Schema and document of each case."""
    for path in sorted(SUITE.rglob("*.json")):
        for group in json.loads(path.read_text()):
            schema = json.dumps(group["schema"]).encode()
            for test in group["tests"]:
                yield b"schema\n" + schema + b"\0" + json.dumps(test["data"]).encode()


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for seed in [*documents(), *suite_cases()]:
        (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


if __name__ == "__main__":
    main(sys.argv[1])

#!/usr/bin/env python3
"""Writes the seeds of tests/fuzz/run to two folders: a file for each document of
tests/corpus and examples/, after the name of its schema, and for each case of
the public suite; and one for each kind of body, after its number."""

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


def bodies():
    """The bodies of requests that tests/fuzz/bodies.cpp tells apart by their first byte."""
    turn = {"messageId": "m", "from": "ben", "role": "user", "turnIndex": 1, "ts": 1, "content": "Yes."}
    for kind, body in [(0, {"resumeValue": {"action": "accept"}}),
                       (1, {"resumeValue": {"answers": {"q": "blue"}}}),
                       (2, {"resumeValue": {"operation": "exchange", "turn": turn}}),
                       (2, {"resumeValue": {"operation": "close", "turn": turn, "outcome": 1}}),
                       (3, {"nodeId": "approve", "resumeValue": {"action": "reject"}}),
                       (4, {"workflowId": "w", "inputs": {"a": 1}, "tags": ["t"], "tenantId": "t"}),
                       (5, {"mode": "replay", "fromSeq": 3}),
                       (5, {"mode": "branch", "fromSeq": 0, "runOptionsOverlay": {"configurable": {}}}),
                       (6, {"reason": "r"}),
                       (7, {"content": "Yes.", "reasoning": ["r"], "usage": {"tokens": 1}})]:
        yield bytes([kind]) + json.dumps(body).encode()


def write(folder, seeds):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


if __name__ == "__main__":
    write(sys.argv[1], [*documents(), *suite_cases()])
    write(sys.argv[2], bodies())

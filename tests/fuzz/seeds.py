#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets to folders of a folder. `validator` has a
file for each document of tests/corpus and examples/, after the name of its
schema, and for each case of the public suite; `bodies` one for each kind of body,
after its number; `requests` some of HTTP, after a byte that says how they are cut;
`yaml` has texts.

    tests/fuzz/seeds.py FOLDER
"""

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


def requests():
    """Requests that tests/fuzz/requests.cpp cuts as their first byte says."""
    host = "Host: localhost\r\n"
    for text in [f"GET / HTTP/1.1\r\n{host}\r\n",
                 f"GET /v1/sessions/a%20b?from=3&to=%C3%BC HTTP/1.1\r\n{host}Accept: text/event-stream\r\n\r\n",
                 f"POST /v1/runs HTTP/1.1\r\n{host}Content-Length: 2\r\n\r\n{{}}GET / HTTP/1.1\r\n{host}\r\n",
                 f"POST / HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
                 f"POST / HTTP/1.1\r\n{host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                 f"POST / HTTP/1.1\r\n{host}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
                 f"PUT / HTTP/1.1\r\n{host}Expect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
                 f"GET /%00 HTTP/1.1\r\n{host}\r\n", "GET / HTTP/1.0\r\n\r\n",
                 f"GET http://localhost/a HTTP/1.1\r\n{host}Connection: close\r\n\r\n",
                 f"GET / HTTP/1.1\r\n{host} folded: yes\r\n\r\n"]:
        for cut in (0, 1, 3, 255):
            yield bytes([cut]) + text.encode()


def yaml():
    """YAML in all its forms; the scenarios of examples/ are YAML as well."""
    for text in ["a: 1\nb:\n  - x\n  - !!str 5\n  - &k \"q\\u00e9\"\n  - *k\n",
                 "a: |2+\n   text\n\n  more\n\n", "a: >-\n  folded\n\n   x\n  y\n",
                 "{a: [1, 2.5, {b: ~}], \"q\": 'it''s', c: .inf}", "? [c]\n: 5\n",
                 "%YAML 1.2\n--- # c\na: no\n...\n", "- - - x\n-\n  - 012\n", "a: b\r\nc: 'd\n\n  e'\r\n",
                 "a: &x [1]\nb: &y [*x, *x]\nc: [*y, *y]\n", "a: 1\na: 2\n"]:
        yield text.encode()
    for path in sorted((ROOT / "examples").rglob("scenario.json")):
        yield path.read_bytes()


def write(folder, seeds):
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


if __name__ == "__main__":
    at = pathlib.Path(sys.argv[1])
    write(at / "validator", [*documents(), *suite_cases()])
    write(at / "bodies", bodies())
    write(at / "requests", requests())
    write(at / "yaml", yaml())

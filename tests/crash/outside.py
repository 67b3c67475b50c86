#!/usr/bin/env python3
"""What participants of tests/crash/actions reach outside, which counts calls.

    outside.py tools FILE      an MCP server: tools `look`, which may be called
                               again, and `mark`, which may not
    outside.py lines FILE      a program that answers each request with a line
    outside.py once FILE       a program that answers one request

Each call appends a line with its idempotency key to FILE, and what was asked if
it is a program's. A tool is told a key as an argument.
"""
import hashlib
import json
import os
import sys

FILE = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
KEYED = {"type": "object", "required": ["key"],
         "properties": {"key": {"type": "string"}}}
TOOLS = [{"name": name, "description": name, "inputSchema": KEYED,
          "annotations": {"readOnlyHint": name == "look"}}
         for name in ("look", "mark")]


def count(key):
    os.write(FILE, key.encode() + b"\n")


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "outside", "version": "1.0.0"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        count(params["arguments"]["key"])
        return {"content": [{"type": "text", "text": "done"}], "isError": False}
    return None


def serve_tools():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message.get("method"), message.get("params", {}))
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        if result is None:
            reply["error"] = {"code": -32601, "message": "no such method"}
        else:
            reply["result"] = result
        print(json.dumps(reply), flush=True)


def note(key, request):
    for name in ("deadline", "traceparent", "tracestate", "idempotency_key"):
        request.pop(name, None)
    text = json.dumps(request, sort_keys=True)
    count(key + " " + hashlib.sha256(text.encode()).hexdigest())


def serve_lines():
    for line in sys.stdin:
        request = json.loads(line)
        note(request["idempotency_key"], request)
        print('{"content": "done"}', flush=True)


def serve_once():
    note(os.environ["CONVENE_IDEMPOTENCY_KEY"], json.load(sys.stdin))
    print('{"content": "done"}')


{"tools": serve_tools, "lines": serve_lines, "once": serve_once}[sys.argv[1]]()

#!/usr/bin/env python3
"""An MCP server over standard input and output with two tools, for examples.

    notes_server.py FOLDER      the .md files of FOLDER are its notes
"""
import json
import pathlib
import sys

NOTES = {p.stem: p.read_text() for p in pathlib.Path(sys.argv[1]).glob("*.md")}
TOOLS = [
    {"name": "list_notes", "description": "The names of all notes.",
     "inputSchema": {"type": "object", "properties": {}},
     "annotations": {"readOnlyHint": True}},
    {"name": "read_note", "description": "The text of a note.",
     "inputSchema": {"type": "object", "required": ["name"],
                     "properties": {"name": {"type": "string"}}},
     "annotations": {"readOnlyHint": True}},
]


def call(name, arguments):
    if name == "list_notes":
        return "\n".join(sorted(NOTES)), False
    if name == "read_note" and arguments.get("name") in NOTES:
        return NOTES[arguments["name"]], False
    return f"there is no {name} {arguments}", True


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "notes", "version": "1.0.0"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        text, failed = call(params["name"], params.get("arguments", {}))
        return {"content": [{"type": "text", "text": text}], "isError": failed}
    return None


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

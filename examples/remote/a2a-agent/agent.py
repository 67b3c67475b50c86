#!/usr/bin/env python3
"""A remote agent that speaks A2A 1.0, for examples: it counts words.

    agent.py [--port N] [--key KEY]        0: any free port; prints the port

Its card is at /.well-known/agent-card.json. Each message becomes a task, which
takes half a second; the same messageId is the same task. It answers in words,
and with a data part that is a reply of convene: how many words were counted in
each context goes to the shared resource `count words`. With --key its callers
need that bearer token.
"""

import argparse
import http.server
import json
import re
import threading
import time
import uuid

REQUEST = "application/vnd.convene.request+json"
REPLY = "application/vnd.convene.reply+json"
TAKES = 0.5  # seconds


class Agent:
    """Tasks by id, and what each context has counted; safe for several threads."""

    def __init__(self):
        self.tasks = {}  # id: [state, done at, artifacts]
        self.by_message = {}
        self.counts = {}
        self.lock = threading.Lock()

    def begin(self, message):
        with self.lock:
            known = self.by_message.get(message["messageId"])
            if known is None:
                known = self.by_message[message["messageId"]] = str(uuid.uuid4())
                self.tasks[known] = ["TASK_STATE_WORKING", time.monotonic() + TAKES,
                                     self.result(message)]
        return self.look(known)

    def result(self, message):
        context = message.get("contextId", "")
        request = next((part["data"] for part in message["parts"]
                        if part.get("mediaType") == REQUEST), {})
        said = request.get("dialog") or [{"content": request.get("task", "")}]
        words = len(said[-1]["content"].split())
        self.counts[context] = self.counts.get(context, 0) + words
        version = next((each["version"] for each in request["workspace"]["resources"]
                        if each["resource_id"] == "words"), 0)
        reply = {"writes": [{"resource_type": "count", "resource_id": "words",
                             "base_version": version, "op": "put",
                             "value": self.counts[context]}]}
        return [{"text": f"{words} words, {self.counts[context]} so far"},
                {"data": reply, "mediaType": REPLY}]

    def look(self, name, cancel=False):
        with self.lock:
            if name not in self.tasks:
                return None
            task = self.tasks[name]
            if task[0] == "TASK_STATE_WORKING" and cancel:
                task[0] = "TASK_STATE_CANCELED"
            elif task[0] == "TASK_STATE_WORKING" and time.monotonic() >= task[1]:
                task[0] = "TASK_STATE_COMPLETED"
            made = {"id": name, "status": {"state": task[0]}}
            if task[0] == "TASK_STATE_COMPLETED":
                made["artifacts"] = [{"artifactId": "count", "parts": task[2]}]
            return made


def card(port, key):
    made = {"name": "Word counter", "description": "Counts words", "version": "1.0.0",
            "supportedInterfaces": [{"url": f"http://127.0.0.1:{port}",
                                     "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}],
            "capabilities": {}, "defaultInputModes": ["text/plain", REQUEST],
            "defaultOutputModes": ["text/plain", REPLY],
            "skills": [{"id": "count", "name": "Count", "description": "Counts words",
                        "tags": ["text"]}]}
    if key:
        made["securitySchemes"] = {"key": {"httpAuthSecurityScheme": {"scheme": "bearer"}}}
        made["securityRequirements"] = [{"schemes": {"key": {"list": []}}}]
    return made


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    agent = Agent()
    key = ""

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/a2a+json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def fail(self, status, message):
        self.answer(status, {"error": {"code": status, "message": message}})

    def task(self, name, cancel=False):
        found = self.agent.look(name, cancel)
        return self.answer(200, found) if found else self.fail(404, "there is no such task")

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/.well-known/agent-card.json":
            return self.answer(200, card(self.server.server_port, self.key))
        if self.is_refused():
            return None
        found = re.fullmatch(r"/tasks/([^/:]+)", path)
        return self.task(found[1]) if found else self.fail(404, "not found")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.is_refused():
            return None
        if self.path == "/message:send":
            return self.answer(200, {"task": self.agent.begin(json.loads(body)["message"])})
        found = re.fullmatch(r"/tasks/([^/:]+):cancel", self.path)
        return self.task(found[1], True) if found else self.fail(404, "not found")

    def is_refused(self):
        if self.headers.get("A2A-Version") != "1.0":
            self.fail(400, "this agent speaks A2A 1.0")
        elif self.key and self.headers.get("Authorization") != f"Bearer {self.key}":
            self.fail(401, "this agent wants its key")
        else:
            return False
        return True

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(usage=__doc__, allow_abbrev=False)
    parser.add_argument("--port", type=int, default=8378)
    parser.add_argument("--key", default="")
    how = parser.parse_args()
    Handler.key = how.key
    server = http.server.ThreadingHTTPServer(("127.0.0.1", how.port), Handler)
    print(server.server_port, flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


main()

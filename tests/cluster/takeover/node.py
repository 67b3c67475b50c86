"""A node: convene serve in a process of its own, and its clients."""

import http.client
import json
import pathlib
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

SECONDS_MAX = 120


def await_that(what, is_so):
    """Waits until something is so, and returns what it is."""
    until = time.monotonic() + SECONDS_MAX
    while True:
        found = is_so()
        if found:
            return found
        if time.monotonic() > until:
            raise AssertionError(f"it never was so that {what}")
        time.sleep(0.05)


class Node:
    def __init__(self, program, database, folder, name, lease=3, more=()):
        self.program, self.database, self.name, self.lease = program, database, name, lease
        self.more = more
        self.data = pathlib.Path(folder) / name
        self.process = None
        self.url = ""
        self.headers = {}

    def start(self):
        with open(f"{self.data}.err", "ab") as err:
            self.process = subprocess.Popen(
                [self.program, "serve", "--listen", "127.0.0.1:0", "--data", self.data, "--cluster", self.database.url,
                 "--node", self.name, "--lease", str(self.lease), *self.more], stdout=subprocess.PIPE, stderr=err, text=True)
        line = self.process.stdout.readline()
        assert "listening on" in line, f"node {self.name} did not start: {self.errors()}"
        self.url = line.split()[-1]
        return self

    def errors(self):
        return pathlib.Path(f"{self.data}.err").read_text(errors="replace")

    def send(self, number):
        self.process.send_signal(number)

    def end(self, number=signal.SIGTERM):
        """Returns the exit code."""
        self.send(number)
        self.process.stdout.close()
        return self.process.wait(SECONDS_MAX)

    def call(self, method, path, body=None, seconds=30, **headers):
        """The status and the body; 0: no answer."""
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json", **self.headers, **headers},
                                       method=method)
        try:
            with urllib.request.urlopen(asked, timeout=seconds) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as refused:
            text = refused.read()
            return refused.code, json.loads(text) if text else None
        except (OSError, http.client.HTTPException):
            return 0, None

    def number(self, metric):
        """A number of /metrics; 0: it is not there."""
        with urllib.request.urlopen(self.url + "/metrics", timeout=30) as answer:
            for line in answer.read().decode().splitlines():
                if line.startswith(metric + " "):
                    return float(line.split()[-1])
        return 0.0

    def create(self, scenario):
        status, made = self.call("POST", "/v1/sessions", {"scenario": scenario})
        assert status == 201, f"{status}: {made}"
        return made["session_id"]

    def row(self, session):
        status, found = self.call("GET", f"/v1/sessions/{session}")
        return found if status == 200 else None

    def events(self, session):
        """All that the node shows of a session, as texts."""
        found = []
        while True:
            status, page = self.call("GET", f"/v1/sessions/{session}/events?after={len(found)}&limit=1000")
            if status != 200 or not page["events"]:
                return found
            found += page["events"]

    def check(self, may_be_unfinished=False):
        """The node's log is right; without the rest of what other nodes continued, if that may be so."""
        done = subprocess.run([self.program, "check", self.data / "log"], capture_output=True, text=True, timeout=120,
                              check=False)
        findings = [line for line in done.stdout.splitlines()[:-1] if " session_unfinished " not in line]
        is_right = done.returncode == 0 or (may_be_unfinished and done.returncode == 1 and not findings)
        assert is_right, f"check of node {self.name}: {done.stdout}{done.stderr}"


class Stream:
    """A client of a session's events, on a thread of its own: ids and events in the order in which they came."""

    def __init__(self, node, session, after=0):
        self.ids, self.events = [], []
        asked = urllib.request.Request(f"{node.url}/v1/sessions/{session}/events",
                                       headers={"Accept": "text/event-stream", "Last-Event-ID": str(after)})
        self.answer = urllib.request.urlopen(asked, timeout=SECONDS_MAX)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        number = 0
        try:
            for line in self.answer:
                text = line.decode().rstrip("\n")
                if text.startswith("id: "):
                    number = int(text[4:])
                elif text.startswith("data: "):
                    self.ids.append(number)
                    self.events.append(json.loads(text[6:]))
        except (OSError, ValueError, AttributeError):
            pass  # the node is gone

"""`convene inbox` at a terminal."""

import os
import queue
import subprocess
import threading
import time

from harness.check import Failed, ensure, equal

SECONDS = 120


class Inbox:
    """The command, with what is typed and what it has shown so far."""

    def __init__(self, host, *options, key="answer"):
        secret = host.keys[key]["key"] if key in host.keys else key
        self.secret, self.shown, self.lines = secret, "", queue.Queue()
        server = f"http://127.0.0.1:{host.port}"
        self.process = subprocess.Popen(
            [host.program, "inbox", *options, "--server", server], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "CONVENE_KEY": secret})
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while some := os.read(self.process.stdout.fileno(), 4096):
            self.lines.put(some.decode())
        self.lines.put(None)

    def wait_for(self, text, times=1):
        end = time.monotonic() + SECONDS
        try:
            while self.shown.count(text) < times:
                some = self.lines.get(timeout=max(0.01, end - time.monotonic()))
                ensure(some is not None, f"the inbox ended without {text!r}:", self.shown)
                self.shown += some
        except queue.Empty:
            raise Failed(f"the inbox does not show {text!r}: {self.shown}") from None

    def type(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def end(self, code):
        """Everything that it has shown."""
        try:
            self.process.stdin.close()
            while (some := self.lines.get(timeout=SECONDS)) is not None:
                self.shown += some
            equal(f"exit code, after {self.shown!r}", self.process.wait(SECONDS), code)
        except queue.Empty:
            raise Failed(f"the inbox does not end: {self.shown}") from None
        finally:
            self.process.kill()
        ensure(self.secret not in self.shown, "the inbox shows its key")
        return self.shown

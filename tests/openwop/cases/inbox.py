"""`convene inbox`: what people are asked, and their answers, at a terminal elsewhere."""

import json
import os
import queue
import subprocess
import threading
import time

from harness.check import Failed, ensure, equal, eventually, parse

SECONDS = 30
HOSTILE = "Say \x1b[2J it \x9b31m in one\u202e line"


class _Inbox:
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


def _session(host, task="Say it in one line"):
    """A session in which ana has the last word; its id, once she is asked."""
    scenario = {
        "convene": "1",
        "collab": {"title": "Review", "purpose": "A person has the last word",
                   "mode": "round_robin",
                   "participants": [
                       {"participant_id": "writer", "kind": "agent", "role_id": "writer"},
                       {"participant_id": "ana", "kind": "human", "role_id": "reviewer"}]},
        "task": task,
        "behaviours": {"writer": {"type": "echo"}, "ana": {"type": "human"}},
        "session": {"rounds": 5, "end": {"text": "APPROVED", "role": "reviewer"}}}
    made = host.client.post("/v1/sessions", {"scenario": scenario}).expect(201)
    return made.json["session_id"]


def _question(host, session):
    """The question that is open, or will be."""
    path = f"/v1/requests?session={session}&wait_ms=10000"
    return eventually("a question", lambda: host.client.get(path).json["requests"])[0]


def _completed(host, session):
    eventually("the end of the session", lambda: host.client.get(
        f"/v1/sessions/{session}").json["status"] == "completed")


def what_a_person_is_asked_is_listed_and_answered_by_lines(host):
    session = _session(host, task=HOSTILE)
    token = _question(host, session)["token"]
    listed = parse(_Inbox(host, "--session", session, "--json").end(0), "inbox --json")
    equal("tokens", [each["token"] for each in listed["requests"]], [token])
    equal("the task", listed["requests"][0]["task"], HOSTILE)
    inbox = _Inbox(host, "--session", session, "--participant", "ana")
    inbox.wait_for("ana> ")
    inbox.type("/handoff nobody")  # which the session would not take
    inbox.wait_for("ana> ", 2)
    inbox.type("It is long.")
    inbox.wait_for("is accepted")
    inbox.wait_for("ana> ", 3)
    inbox.type("/approve")
    shown = inbox.end(0)
    _completed(host, session)
    ensure("your answer is not accepted" in shown and "reply_invalid" in shown,
           "an answer that is wrong is not told:", shown)
    ensure(not any(each in shown for each in ("\x1b", "\x9b", "\u202e")),
           "hostile text reaches the terminal:", repr(shown))
    ensure("1 open question" in shown and "In Review (" in shown, "no list:", shown)


def a_question_that_another_answers_is_withdrawn_from_the_inbox(host):
    session = _session(host)
    token = _question(host, session)["token"]
    inbox = _Inbox(host, "--session", session)
    inbox.wait_for("ana> ")
    host.client.post(f"/v1/requests/{token}/reply", {"content": "APPROVED"}).expect(200)
    inbox.wait_for("this request is over")
    inbox.end(0)


def an_inbox_that_watches_goes_on_when_the_server_is_killed(host):
    session = _session(host)
    token = _question(host, session)["token"]
    inbox = _Inbox(host, "--session", session, "--watch")
    inbox.wait_for("ana> ")
    host.kill()
    inbox.type("One more.")
    inbox.wait_for("cannot be reached")
    host.start(port=host.port)
    inbox.wait_for("is accepted")
    inbox.wait_for("ana> ", 2)
    inbox.type("APPROVED")
    inbox.wait_for("is accepted", 2)
    inbox.process.terminate()
    shown = inbox.end(143)
    _completed(host, session)
    equal("how often each question is asked", shown.count("== ana"), 2)
    again = host.client.post(f"/v1/requests/{token}/reply", {"content": "One more."})
    equal("the answer given twice", again.expect(200).json.get("duplicate"), True)


def an_answer_is_taken_from_a_file(host):
    session = _session(host)
    token = _question(host, session)["token"]
    file = host.folder / "reply.json"
    how = ["answer", token, "--file", str(file)]
    file.write_text('{"content": "APPROVED"}', encoding="utf-8")
    equal("answer", json.loads(_Inbox(host, *how, "--json").end(0))["participant_id"], "ana")
    ensure("accepted before" in _Inbox(host, *how).end(0), "a repeated answer is not told")
    file.write_text('{"content": "no"}', encoding="utf-8")
    ensure("request_already_answered" in _Inbox(host, *how).end(1), "another answer is not told")
    file.write_text('{"contents": "no"}', encoding="utf-8")
    ensure("reply.json" in _Inbox(host, *how).end(2), "what is no reply is not told")
    _completed(host, session)


def a_wrong_key_is_told_and_not_shown(host):
    ensure("unauthenticated" in _Inbox(host, key="wrong-key-of-nobody").end(1), "no word of it")
    ensure("forbidden" in _Inbox(host, key="read").end(1), "no word of the scope")

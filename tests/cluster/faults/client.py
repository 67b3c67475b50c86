"""A client of one session: begins it, follows its stream from node to node, answers questions and sends messages. It
keeps what it received, for the judge."""

import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.request

GIVES_UP = 180
SILENCE = 3


def now():
    return time.time_ns() // 1000


def scenario(turns, latency_ms, has_person):
    participants = [{"participant_id": name, "kind": "agent", "role_id": "role-" + name} for name in ("one", "two")]
    behaviours = {"*": {"type": "simulated", "latency_ms": latency_ms}}
    if has_person:
        participants.append({"participant_id": "ana", "kind": "human", "role_id": "role-ana"})
        behaviours["ana"] = {"type": "human"}
    return {"convene": "1", "task": "count",
            "collab": {"title": "Busy", "purpose": "Be interrupted", "mode": "round_robin",
                       "participants": participants},
            "behaviours": behaviours, "session": {"rounds": max(1, turns // len(participants))}}


class Said:
    """A text that the client sent: when, and whether it was accepted."""

    def __init__(self, text):
        self.text, self.begin, self.end = text, now(), 0


class Client(threading.Thread):
    def __init__(self, nodes, seed):
        super().__init__(daemon=True)
        self.rng = random.Random(seed)
        self.nodes, self.number = nodes, seed
        self.session = None
        self.begin, self.created = 0, 0
        self.events, self.seen_at = [], []
        self.said, self.wrong = [], []
        self.streams = 0
        self.until = time.monotonic() + GIVES_UP
        self.start()

    def run(self):
        try:
            self.create()
            while not self.has_ended():
                self.check_time(f"session {self.session} does not end; {len(self.events)} events were seen")
                self.follow()
        except Exception as wrong:  # noqa: BLE001 - reported by the judge
            self.wrong.append(repr(wrong))

    def has_ended(self):
        return bool(self.events) and self.events[-1]["event_type"] == "MAPSessionCompleted"

    def check_time(self, what):
        assert time.monotonic() < self.until, what

    def ask(self, method, path, body=None, **headers):
        """Any node."""
        return self.rng.choice(self.nodes).call(method, path, body, 5, **headers)

    def create(self):
        # A slow one does nothing for longer than a take-over needs: a former owner may come first.
        turns, latency_ms = self.rng.choice([(self.rng.randrange(6, 60), self.rng.randrange(5, 60)),
                                             (self.rng.randrange(3, 6), self.rng.randrange(500, 2500))])
        made = scenario(turns, latency_ms, self.rng.random() < 0.5)
        self.begin = now()
        while True:
            status, told = self.ask("POST", "/v1/sessions", {"scenario": made},
                                    **{"Idempotency-Key": f"client-{self.number}"})
            if status in (200, 201):
                break
            waits = status == 409 and told["error"]["code"] == "idempotency_in_flight"
            assert status == 0 or status >= 500 or status == 421 or waits, f"create: {status} {told}"
            self.check_time(f"no session begins: {status} {told}")
            time.sleep(0.2)
        self.created = now()
        self.session = told["session_id"]

    def follow(self):
        """One stream, until it ends."""
        node = self.rng.choice(self.nodes)
        asked = urllib.request.Request(
            f"{node.url}/v1/sessions/{self.session}/events",
            headers={"Accept": "text/event-stream", "Last-Event-ID": str(len(self.events)), **node.headers})
        self.streams += 1
        try:
            with urllib.request.urlopen(asked, timeout=SILENCE) as answer:
                self.read(answer)
        except urllib.error.HTTPError as refused:
            assert refused.code >= 500 or refused.code == 421, f"stream: {refused.code} {refused.read()}"
            time.sleep(0.2)
        except (OSError, http.client.HTTPException):
            self.answer()  # what it was asked meanwhile
            time.sleep(0.1)

    def read(self, answer):
        number = 0
        for line in answer:
            if not line.endswith(b"\n"):
                return  # cut
            text = line.decode().rstrip("\n")
            if text.startswith("id: "):
                number = int(text[4:])
            elif text.startswith("data: "):
                assert number == len(self.events) + 1, f"event {number} comes after {len(self.events)}"
                event = json.loads(text[6:])
                self.events.append(event)
                self.seen_at.append(now())
                self.react(event)
                if self.has_ended():
                    return

    def react(self, event):
        if event["event_type"] == "MAPTurnDispatched" and event["payload"]["participant_id"] == "ana":
            self.answer()
        elif self.rng.random() < 0.02:
            self.say()

    def say(self):
        """Once: a message that is sent again may be there twice."""
        self.said.append(Said(f"message {self.number}.{len(self.said)}."))
        status, told = self.ask("POST", f"/v1/sessions/{self.session}/messages", {"content": self.said[-1].text})
        self.accept(self.said[-1], status, told, (409,))

    def accept(self, what, status, told, may_be):
        if status == 200:
            what.end = now()
        else:
            assert status == 0 or status >= 500 or status in (421, *may_be), f"{what.text}: {status} {told}"

    def answer(self):
        status, found = self.ask("GET", f"/v1/requests?session={self.session}")
        asked = found.get("requests", []) if status == 200 else []
        if not asked:
            return
        turn, token = asked[0]["turn_number"], asked[0]["token"]
        text = f"answer {self.number}.{turn}."
        known = [each for each in self.said if each.text == text]
        if not known:
            self.said.append(Said(text))
        what = known[0] if known else self.said[-1]
        if not what.end:
            status, told = self.ask("POST", f"/v1/requests/{token}/reply?session={self.session}", {"content": text})
            self.accept(what, status, told, (404, 409, 410))

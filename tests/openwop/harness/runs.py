"""A run, and a conversation in one."""

import time

from harness.check import Failed, ensure, equal, show
from harness.events import check_log, check_snapshot

TERMINAL = ("completed", "failed", "cancelled")
# Where the turn is, by the type of the event.
TURNS = {"conversation.opened": "initialTurn", "conversation.exchanged": "turn",
         "conversation.closed": "finalTurn"}
WAITING = ("waiting-approval", "waiting-input", "waiting-external")


class Run:
    def __init__(self, client, run_id):
        self.client, self.id = client, run_id
        self.path = f"/v1/runs/{run_id}"

    def snapshot(self):
        made = self.client.get(self.path).expect(200).json
        check_snapshot(made)
        equal("runId of a snapshot", made["runId"], self.id)
        return made

    def events(self, *types):
        """The events so far, of these types only if there are any; the log is checked."""
        answer = self.client.get(f"{self.path}/events", {"Accept": "application/json"}).expect(200)
        ensure(isinstance(answer.json.get("events"), list), f"{answer}: expected events")
        log = answer.json["events"]
        check_log(log, self.id)
        return [each for each in log if not types or each["type"] in types]

    def event(self, kind):
        """The only event of a type."""
        found = self.events(kind)
        ensure(len(found) == 1, f"{len(found)} events {kind} instead of one; the log has",
               [each["type"] for each in self.events()])
        return found[0]

    def wait(self, *wanted, limit=120):
        """The snapshot, once the run has one of these statuses."""
        end = time.monotonic() + limit
        while (now := self.snapshot())["status"] not in wanted:
            if now["status"] in TERMINAL or time.monotonic() > end:
                raise Failed(f"run {self.id} of {now['workflowId']} is {now['status']} after at "
                             f"most {limit} s instead of {' or '.join(wanted)}: {show(now)}; its "
                             f"log has {show([each['type'] for each in self.events()])}")
            time.sleep(0.015)
        return now

    def finish(self, status="completed"):
        self.wait(status)
        return self

    def is_late(self):
        """Whether its time was over before anybody answered."""
        error = self.snapshot().get("error", {})
        return error.get("code") == "interrupt_timeout"

    def resolve(self, node, value, client=None, headers=None):
        return (client or self.client).post(f"{self.path}/interrupts/{node}",
                                            {"resumeValue": value}, headers)

    def cancel(self):
        return self.client.post(f"{self.path}/cancel")

    def fork(self, mode="replay", **body):
        return self.client.post(f"{self.path}:fork", {"mode": mode, **body})

    def forked(self, mode="replay", **body):
        return Run(self.client, self.fork(mode, **body).expect(200, 201).json["runId"])

    def unchanged_by(self, act, what):
        """Does something that must append nothing to the log; gives what came of it."""
        before = self.events()
        made = act()
        appended = self.events()[len(before):]
        ensure(not appended, f"{what} must append nothing; the answer is {made}; appended:",
               appended)
        equal(f"events after {what}", self.events(), before)
        return made


class Talk:
    """Speaks in a conversation as somebody outside; `waits` until it is asked."""

    def __init__(self, run, node="convo", waits=True):
        self.run, self.node = run, node
        self.index = 1
        if waits:
            run.wait(*WAITING)

    def turn(self, content="Yes.", **others):
        return {"messageId": f"said-{self.index}", "from": "user", "content": content,
                "ts": 1_700_000_000_000 + self.index, "role": "user", "turnIndex": self.index,
                **others}

    def resolve(self, value, **how):
        return self.run.resolve(self.node, value, **how)

    def exchange(self, content="Yes.", **others):
        """Takes a turn, which must be accepted."""
        turn = self.turn(content, **others)
        answer = self.resolve({"operation": "exchange", "turn": turn}).expect(200)
        self.index += 1
        return answer

    def offer(self, turn, **how):
        """Tries to take a turn."""
        return self.resolve({"operation": "exchange", "turn": turn}, **how)

    def close(self, **value):
        return self.resolve({"operation": "close", **value})

    def refuses(self, value, what):
        """A resume value is refused as invalid, nothing is appended, the node waits on."""
        answer = self.run.unchanged_by(lambda: self.resolve(value), what)
        error = answer.refused(400, "validation_error")
        self.run.wait(*WAITING)
        return error


def turns_of(run):
    """All turns of a run's conversations, as its events have them."""
    return [each["payload"][TURNS[each["type"]]] for each in run.events(*TURNS)]


def taken(answer):
    """What the answer tells of the turn that was taken, in a member of its own or beside others."""
    body = answer.expect(200).json
    return body.get("conversation", body)

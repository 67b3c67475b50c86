"""A host that is killed in the middle of a conversation, and started again on the same data."""

from harness.check import ensure, equal, eventually, holds
from harness.events import milliseconds
from harness.runs import Talk, taken, turns_of
from harness.sse import Stream, events_of


def an_open_conversation_goes_on_after_a_kill(host):
    """Log, status and next index are as before; turns and the close are taken."""
    talk = Talk(host.run("test-conversation"))
    talk.exchange("One.")
    answer = talk.exchange("Two.")
    before, snapshot = talk.run.events(), talk.run.snapshot()
    host.restart()
    equal("events after the restart", talk.run.events()[:len(before)], before)
    equal("openings", len(talk.run.events("conversation.opened", "interrupt.requested")), 2)
    holds("snapshot after the restart", talk.run.snapshot(),
          {name: snapshot[name] for name in ("status", "currentNodeId", "channels", "variables")
           if name in snapshot})
    again = talk.offer({**talk.turn("Two."), "messageId": "said-2", "turnIndex": 2,
                        "ts": 1_700_000_000_002})
    equal("the answer to a repeated turn", taken(again), {**taken(answer), "duplicate": True})
    talk.exchange("Three.")
    talk.close(outcome="done").expect(200)
    talk.run.wait("completed")
    equal("what was said", [each["content"] for each in turns_of(talk.run)][1:4],
          ["One.", "Two.", "Three."])


def every_turn_that_was_answered_survives_a_kill(host):
    """Killed right after an answer, five times: each answered turn is there, once."""
    talk = Talk(host.run("test-conversation"))
    for number in range(5):
        talk.exchange(number)
        host.restart()
    equal("what was said", [each["content"] for each in turns_of(talk.run)][1:], [0, 1, 2, 3, 4])
    equal("indexes in the channel",
          [each["turnIndex"] for each in talk.run.snapshot()["channels"]["conversation"]],
          [0, 1, 2, 3, 4, 5])
    talk.close().expect(200)
    talk.run.wait("completed")


def the_deadline_survives_a_kill(host):
    """After the restart the time still runs from the opening: closed without anybody's input."""
    for run in host.longer_and_longer("test-conversation-deadline"):
        talk = Talk(run, waits=False)
        said = talk.offer(talk.turn())
        if not run.is_late():
            break
    said.expect(200)
    opened = run.event("conversation.opened")
    host.restart()
    run.wait("failed")
    closed = run.event("conversation.closed")
    holds("content of the final turn", closed["payload"]["finalTurn"]["content"],
          {"reason": "timed_out"})
    equal("code", run.snapshot()["error"]["code"], "interrupt_timeout")
    took = milliseconds(closed["timestamp"]) - milliseconds(opened["timestamp"])
    ensure(took >= 2000, f"closed {took} ms after the opening instead of 2000 or more:", closed)


def what_has_ended_stays_as_it_was(host):
    """A completed, a failed and a cancelled run have the same log and snapshot after a kill."""
    cancelled = host.run("test-conversation")
    Talk(cancelled)
    cancelled.cancel().expect(200)
    runs = [host.done("conformance-conversation-replay"),
            host.run("conformance-failure").finish("failed"), cancelled.finish("cancelled")]
    before = [(each.events(), each.snapshot()) for each in runs]
    host.restart()
    for run, was in zip(runs, before):
        equal(f"run {run.id} after the restart", [run.events(), run.snapshot()], list(was))


def a_stream_goes_on_after_a_kill(host):
    """Last-Event-ID from before the kill continues after it, without a gap or a repeat."""
    talk = Talk(host.run("test-conversation"))
    talk.exchange("One.")
    seen = []
    with Stream(talk.run, "?streamMode=debug") as stream:
        seen += stream.until(lambda each: each.type == "conversation.exchanged")
    host.restart()
    with Stream(talk.run, "?streamMode=debug", last_id=seen[-1].id) as stream:
        talk.exchange("Two.")
        talk.close(outcome="done").expect(200)
        seen += stream.all()
    equal("events of both streams", events_of(seen), talk.run.events())


def a_cancellation_that_was_answered_survives_a_kill(host):
    """Killed right after the answer to a cancellation, the run is cancelled."""
    talk = Talk(host.run("test-conversation"))
    talk.run.cancel().expect(200)
    host.restart()
    talk.run.wait("cancelled")
    eventually("conversation.closed", lambda: talk.run.events("conversation.closed"))

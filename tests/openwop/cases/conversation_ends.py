"""How conversations end: by a close, by their time, by a cancellation, and what comes after."""

import concurrent.futures
import time

from harness.check import ensure, equal, eventually, holds
from harness.events import milliseconds
from harness.runs import Talk, taken, turns_of


def _talk(host, workflow="test-conversation"):
    return Talk(host.run(workflow))


def _types_from(run, kind):
    """The types of the log from the first event of this one on, without channel.written."""
    kinds = [each["type"] for each in run.events() if each["type"] != "channel.written"]
    ensure(kind in kinds, f"no event {kind} in", kinds)
    return kinds[kinds.index(kind):]


def a_close_hands_its_outcome_on(host):
    """The outcome is on conversation.closed, interrupt.resolved, node.resumed, node.completed."""
    for outcome in ({"decided": [1, "two"]}, "done", 0, False):
        talk = _talk(host)
        talk.close(turn=talk.turn("Enough."), outcome=outcome).expect(200)
        run = talk.run.finish()
        equal("outcome", run.event("conversation.closed")["payload"].get("outcome"), outcome)
        for kind in ("interrupt.resolved", "node.resumed"):
            equal(f"resumeValue of {kind}", run.event(kind)["payload"].get("resumeValue"), outcome)
        equal("outputs", run.event("node.completed")["payload"].get("outputs"),
              {"outcome": outcome})


def a_close_without_a_turn_gets_one_of_the_host(host):
    """The final turn is the host's, of role system, and the highest index."""
    talk = _talk(host)
    talk.exchange()
    answer = talk.close(outcome="done")
    holds("the turn that was taken", taken(answer), {"turnIndex": 2, "duplicate": False})
    run = talk.run.finish()
    final = run.event("conversation.closed")["payload"]["finalTurn"]
    holds("finalTurn", final, {"role": "system", "turnIndex": 2,
                               "messageId": f"{run.id}:convo:0:2:system"})


def a_close_without_an_outcome_resumes_with_null(host):
    """The node goes on with null."""
    talk = _talk(host)
    talk.close(turn=talk.turn("Enough.")).expect(200)
    run = talk.run.finish()
    equal("outcome", run.event("conversation.closed")["payload"].get("outcome"), None)
    equal("resumeValue", run.event("node.resumed")["payload"].get("resumeValue"), None)


def a_closed_conversation_takes_no_turn(host):
    """While the run goes on, and once it has ended, an exchange is 400 and appends nothing."""
    for workflow, status in (("test-conversation-then-approval", "waiting-approval"),
                             ("test-conversation", "completed")):
        talk = _talk(host, workflow)
        talk.exchange()
        talk.close(outcome="done").expect(200)
        eventually(f"{status} after the close",
                   lambda talk=talk, status=status: talk.run.events("node.completed")
                   and talk.run.snapshot()["status"] == status)
        talk.index = 3
        talk.run.unchanged_by(lambda talk=talk: talk.offer(talk.turn("Late.")).refused(
            400, "validation_error"), "an exchange after the close")


def a_closed_conversation_is_not_closed_again(host):
    """Another close is 409, or 404 since nothing is open; nothing is appended."""
    talk = _talk(host)
    talk.close(turn=talk.turn("Enough."), outcome=1).expect(200)
    talk.run.wait("completed")
    for value in ({"outcome": 2}, {}, {"turn": talk.turn("Enough."), "outcome": 2}):
        talk.run.unchanged_by(lambda value=value: talk.close(**value).refused(
            (404, 409), ("interrupt_already_resolved", "interrupt_not_found")), "another close")


def of_many_closes_at_once_one_wins(host):
    """Eight closes at once: one 200, the others 409 or 404; the log has the winner's outcome."""
    for _ in range(3):
        talk = _talk(host)
        talk.exchange()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda n, talk=talk: talk.close(outcome=n), range(8)))
        won = [n for n, each in enumerate(answers) if each.status == 200]
        for each in answers:
            each.expect(200, 404, 409)
        equal("closes that won", len(won), 1)
        talk.run.wait("completed")
        equal("outcome", talk.run.event("conversation.closed")["payload"]["outcome"], won[0])
        talk.run.event("node.resumed")


def a_close_and_a_turn_at_once_are_in_one_order(host):
    """Whichever comes first, the log is one that could have come one by one."""
    for _ in range(5):
        talk = _talk(host)
        turn = talk.turn("One.")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            closed = pool.submit(talk.close, outcome="done")
            said = pool.submit(talk.offer, turn)
            closed.result().expect(200)
            said.result().expect(200, 400)
        talk.run.wait("completed")
        equal("turns", len(turns_of(talk.run)), 2 + (said.result().status == 200))


def nobody_in_time_is_a_time_out(host):
    """The host closes with a system turn and outcome null, before node and run fail."""
    run = host.run("test-conversation-timeout").finish("failed")
    equal("events", _types_from(run, "conversation.opened"),
          ["conversation.opened", "conversation.closed", "node.failed", "run.failed"])
    closed = run.event("conversation.closed")["payload"]
    ensure("outcome" in closed and closed["outcome"] is None, "outcome is there and null:", closed)
    holds("finalTurn", closed["finalTurn"], {"role": "system", "turnIndex": 1})
    holds("content of the final turn", closed["finalTurn"]["content"], {"reason": "timed_out"})
    for error in (run.snapshot()["error"], run.event("node.failed")["payload"]["error"],
                  run.event("run.failed")["payload"]["error"]):
        equal("code", error["code"], "interrupt_timeout")
    equal("timeoutMs", run.event("interrupt.requested")["payload"].get("timeoutMs"), 500)


def it_is_not_closed_before_its_time(host):
    """From conversation.opened to conversation.closed the whole time has passed."""
    run = host.run("test-conversation-timeout").finish("failed")
    opened, closed = run.event("conversation.opened"), run.event("conversation.closed")
    took = milliseconds(closed["timestamp"]) - milliseconds(opened["timestamp"])
    ensure(took >= 500, f"closed {took} ms after the opening instead of 500 or more:", closed)


def turns_do_not_make_it_longer(host):
    """Somebody who speaks all the time is cut off: the time runs from the opening."""
    for run in host.longer_and_longer("test-conversation-timeout"):
        talk = Talk(run, waits=False)
        limit = run.event("interrupt.requested")["payload"]["timeoutMs"]
        for _ in range(900):
            answer = talk.offer(talk.turn("More."))
            if answer.status != 200:
                break
            talk.index += 1
            time.sleep(limit / 500_000)  # a conversation has at most 1,000 turns
        if talk.index > 1:
            break
    answer.refused(400, "validation_error")
    run.finish("failed")
    equal("code", run.snapshot()["error"]["code"], "interrupt_timeout")
    equal("index of the close", run.event("conversation.closed")["payload"]["turnIndex"],
          talk.index)
    opened, last = run.event("conversation.opened"), run.events("conversation.exchanged")[-1]
    took = milliseconds(last["timestamp"]) - milliseconds(opened["timestamp"])
    ensure(took <= limit, f"a turn was taken {took} ms after the opening, which has {limit}:", last)


def after_the_time_out_it_is_closed(host):
    """A turn is 400, a close 409 or 404, and nothing is appended to the failed run."""
    talk = Talk(host.run("test-conversation-timeout"), waits=False)
    talk.run.wait("failed")
    talk.run.unchanged_by(lambda: talk.offer(talk.turn()).refused(400, "validation_error"),
                          "a turn after the time-out")
    talk.run.unchanged_by(lambda: talk.close(outcome=1).refused(
        (404, 409), ("interrupt_already_resolved", "interrupt_not_found")),
        "a close after the time-out")


def a_close_in_time_is_no_time_out(host):
    """Once it is closed, the deadline does nothing: the run completes and stays so."""
    for run in host.longer_and_longer("test-conversation-timeout"):
        talk = Talk(run, waits=False)
        closed = talk.close(outcome="done")
        if not run.is_late():
            break
    closed.expect(200)
    talk.run.wait("completed")
    holds("content of the final turn",
          talk.run.event("conversation.closed")["payload"]["finalTurn"]["content"],
          {"reason": "closed"})


def cancelling_the_run_closes_it(host):
    """The host closes with outcome null, then the node and last the run are cancelled."""
    talk = _talk(host)
    talk.exchange()
    talk.run.cancel().expect(200)
    run = talk.run.finish("cancelled")
    equal("events", _types_from(run, "conversation.exchanged"),
          ["conversation.exchanged", "conversation.closed", "node.cancelled", "run.cancelled"])
    closed = run.event("conversation.closed")["payload"]
    ensure("outcome" in closed and closed["outcome"] is None, "outcome is there and null:", closed)
    holds("finalTurn", closed["finalTurn"], {"role": "system", "turnIndex": 2})
    for value in ({"operation": "exchange", "turn": talk.turn()}, {"operation": "close"}):
        run.unchanged_by(lambda value=value: talk.resolve(value).refused(
            422, "interrupt_cancelled"), f"{value['operation']} after the cancellation")


def every_end_is_in_the_channel(host):
    """Closed by somebody, by time or by cancellation: the last entry is the final turn."""
    closed, cancelled = _talk(host), _talk(host)
    late = Talk(host.run("test-conversation-timeout"), waits=False)
    closed.close(turn=closed.turn("Enough.")).expect(200)
    cancelled.run.cancel().expect(200)
    for talk, status in ((closed, "completed"), (cancelled, "cancelled"), (late, "failed")):
        snapshot = talk.run.wait(status)
        equal(f"the channel of the run that is {status}", snapshot["channels"]["conversation"],
              turns_of(talk.run))

"""What the modes of a stream show, how they are joined, buffered and refused."""

import time

from harness.check import Failed, ensure, equal, holds
from harness.events import TERMINAL, check_snapshot
from harness.runs import Talk
from harness.sse import Stream, events_of

UPDATES_FAMILIES = {"run", "approval", "clarification", "interrupt", "conversation"}
UPDATES_TYPES = {"node.completed", "node.failed", "node.skipped", "node.cancelled",
                 "node.suspended", "node.resumed", "artifact.created"}
ATTEMPTS = 20  # what is held back is so each time, a busy machine is slow now and then
MODES = ("values", "updates", "messages", "debug")


def _is_update(event):
    return event["type"].split(".")[0] in UPDATES_FAMILIES or event["type"] in UPDATES_TYPES


def _runs(host):
    return [host.done("conformance-conversation-replay"), host.done("conformance-multi-node"),
            host.done("conformance-channel-ttl")]


def _messages(run, query, last_id=None):
    with Stream(run, query, last_id) as stream:
        return stream.all()


def updates_is_the_default_and_leaves_details_out(host):
    """Starts of nodes, writes to channels and variables are left out; the rest comes in order."""
    for run in _runs(host):
        wanted = [each for each in run.events() if _is_update(each)]
        for query in ("", "?streamMode=updates"):
            equal(f"events of {query or 'no mode'}", events_of(_messages(run, query)), wanted)


def debug_is_everything(host):
    """Each event of the log."""
    for run in _runs(host):
        equal("events", events_of(_messages(run, "?streamMode=debug")), run.events())


def a_list_of_modes_is_their_union(host):
    """updates and debug give what debug gives; updates and messages what updates gives here."""
    run = host.done("conformance-multi-node")
    for modes, alone in (("updates,debug", "debug"), ("debug,updates", "debug"),
                         ("updates,messages", "updates")):
        equal(f"events of {modes}", events_of(_messages(run, f"?streamMode={modes}")),
              events_of(_messages(run, f"?streamMode={alone}")))


def values_are_snapshots(host):
    """Each message is a state.snapshot with the run as it stood; the last one says completed."""
    run = host.done("conformance-multi-node")
    messages = _messages(run, "?streamMode=values")
    ensure(messages, "values shows at least one snapshot")
    for each in messages:
        equal("type", each.type, "state.snapshot")
        check_snapshot(each.json)
        equal("runId", each.json["runId"], run.id)
    equal("the last status", messages[-1].json["status"], "completed")


def values_begin_with_a_snapshot_when_resumed(host):
    """Who comes back with an id is shown where the run stands first."""
    run = host.run("test-conversation")
    talk = Talk(run)
    talk.exchange("One.")
    last = run.events()[-1]["sequence"]
    with Stream(run, "?streamMode=values", last_id=last) as stream:
        first = stream.next()
        equal("type", first.type, "state.snapshot")
        holds("the first snapshot", first.json, {"status": "waiting-approval",
                                                 "currentNodeId": "convo"})
        talk.close().expect(200)
        equal("the last status", stream.all()[-1].json["status"], "completed")


def messages_are_chunks_alone(host):
    """A run whose nodes say nothing piece by piece has no message in this mode."""
    for run in _runs(host):
        equal("types", [each.type for each in _messages(run, "?streamMode=messages")
                        if each.type != "ai.message.chunk"], [])


def a_live_run_is_streamed_in_updates_to_its_end(host):
    """From run.started to run.completed while it runs, then the server closes."""
    run = host.run("conformance-delay", inputs={"delayMs": 100})
    types = [each["type"] for each in events_of(_messages(run, ""))]
    equal("first and last", [types[0], types[-1]], ["run.started", "run.completed"])


def modes_that_do_not_exist_are_refused(host):
    """An unknown mode, alone or in a list, and values with another: 400, with those that exist."""
    run = host.done("conformance-noop")
    for modes in ("bogus", "updates,bogus", "bogus,debug", "values,updates", "debug,values",
                  "UPDATES", "updates,,debug"):
        for accept in ("text/event-stream", "application/json"):
            answer = run.client.get(f"{run.path}/events?streamMode={modes}", {"Accept": accept})
            error = answer.refused(400, "unsupported_stream_mode")
            told = error.get("details", {}).get("supported")
            ensure(isinstance(told, list) and "updates" in told and set(told) <= set(MODES),
                   f"{answer}: details.supported names the modes")


def checks_come_in_the_published_order(host):
    """Key, then run, then mode, then bufferMs."""
    run = host.done("conformance-noop")
    wrong = "?streamMode=bogus&bufferMs=x"
    host.nobody.get(f"{run.path}/events{wrong}").refused(401, "unauthenticated")
    run.client.get(f"/v1/runs/nobodys/events{wrong}").refused(404, "not_found")
    run.client.get(f"{run.path}/events{wrong}").refused(400, "unsupported_stream_mode")
    run.client.get(f"{run.path}/events?bufferMs=x").refused(400, "validation_error")


def buffers_are_from_0_to_5000_ms(host):
    """Other values of bufferMs are 400, whoever asks."""
    run = host.done("conformance-noop")
    for value in ("5001", "-1", "x", "1.5", "100000000000000000000"):
        for accept in ("text/event-stream", "application/json"):
            run.client.get(f"{run.path}/events?bufferMs={value}", {"Accept": accept}).refused(
                400, "validation_error")
    equal("events with bufferMs=0", events_of(_messages(run, "?streamMode=debug&bufferMs=0")),
          run.events())


def a_buffered_stream_comes_in_batches(host):
    """Batches are arrays of events whose id is the highest sequence; together they are the log."""
    for run in _runs(host):
        joined = []
        for each in _messages(run, "?streamMode=debug&bufferMs=5000"):
            equal("type", each.type, "batch")
            ensure(isinstance(each.json, list) and each.json, "a batch has events:", each.data)
            equal("id", each.id, str(max(event["sequence"] for event in each.json)))
            joined += each.json
        equal("events of all batches", joined, run.events())


def a_buffered_stream_continues_after_its_id(host):
    """Last-Event-ID leaves out what came before, in batches too."""
    run = host.done("conformance-multi-node")
    log = run.events()
    for place in range(0, len(log) - 1, 3):
        got = [event for each in _messages(run, "?streamMode=debug&bufferMs=1000", place)
               for event in each.json]
        equal(f"events after {place}", got, log[place + 1:])


def the_end_of_a_run_is_not_held_back(host):
    """With bufferMs 4000 a run of a second is streamed in less than two, its end included."""
    for _ in range(ATTEMPTS):
        begin = time.monotonic()
        run = host.run("conformance-delay")
        messages = _messages(run, "?bufferMs=4000")
        if time.monotonic() - begin < 3.5:
            break
    else:
        raise Failed("the buffer held the end of the run back")
    ensure(messages[-1].json[-1]["type"] in TERMINAL, "the last batch has the end:",
           messages[-1].data)


def a_suspension_is_not_held_back(host):
    """With bufferMs 5000 a reader is told at once that the node waits."""
    for _ in range(ATTEMPTS):
        run = host.run("conformance-approval")
        begin = time.monotonic()
        with Stream(run, "?bufferMs=5000") as stream:
            stream.until(lambda each: any(event["type"] == "node.suspended"
                                          for event in each.json))
        took = time.monotonic() - begin
        run.cancel().expect(200)
        if took < 4:
            return
    raise Failed("the buffer held the suspension back")

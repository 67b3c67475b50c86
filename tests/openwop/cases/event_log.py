"""The events of a run, read as JSON and by polling: one order, one content, one end."""

import concurrent.futures
import time

from harness.check import ensure, equal, holds
from harness.events import TERMINAL, check_log
from harness.runs import Talk


def _poll(run, query=""):
    made = run.client.get(f"{run.path}/events/poll{query}").expect(200).json
    ensure(isinstance(made.get("events"), list) and isinstance(made.get("isComplete"), bool),
           "a poll gives events and isComplete:", made)
    return made


def every_way_to_read_shows_the_same(host):
    """Poll, repeated polls and JSON have the same events in the same order."""
    for workflow in ("conformance-multi-node", "conformance-conversation-replay"):
        run = host.done(workflow)
        log = run.events()
        for _ in range(3):
            equal("events by polling", _poll(run)["events"], log)
            equal("events by JSON", run.events(), log)


def one_event_ends_a_run_and_is_its_last(host):
    """Whatever happens, the log has one terminal run event, at its end."""
    for run in (host.done("conformance-noop"), host.run("conformance-failure").finish("failed"),
                host.run("conformance-cap-breach",
                         configurable={"recursionLimit": 3}).finish("failed")):
        log = run.events()
        ends = [each["type"] for each in log if each["type"] in TERMINAL]
        equal("events that end the run", ends, [log[-1]["type"]])
        equal("isComplete", _poll(run)["isComplete"], True)


def a_poll_begins_after_the_last_sequence(host):
    """lastSequence is exclusive: each value gives exactly what comes after it."""
    run = host.done("conformance-multi-node")
    log = run.events()
    for place in range(len(log)):
        made = _poll(run, f"?lastSequence={place}")
        equal(f"events after {place}", made["events"], log[place + 1:])
        equal("isComplete", made["isComplete"], True)


def a_poll_beyond_the_end_is_empty(host):
    """A lastSequence that no event has is 200 with no events."""
    equal("events", _poll(host.done("conformance-noop"), "?lastSequence=99999")["events"], [])


def a_wrong_last_sequence_is_refused(host):
    """lastSequence is an integer from 0 on, else 400."""
    run = host.done("conformance-noop")
    for value in ("-1", "x", "1.5", "%20"):
        run.client.get(f"{run.path}/events/poll?lastSequence={value}").refused(
            400, "validation_error")


def a_poll_waits_for_what_comes(host):
    """With nothing new, a poll waits its time and is empty; it answers as soon as something is."""
    run = host.run("conformance-approval")
    run.wait("waiting-approval")
    last = run.events()[-1]["sequence"]
    begin = time.monotonic()
    made = _poll(run, f"?lastSequence={last}&timeout=1")
    holds("a poll of one second", made, {"events": [], "isComplete": False})
    ensure(time.monotonic() - begin > 0.9, "a poll of one second answered at once")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        polled = pool.submit(_poll, run, f"?lastSequence={last}&timeout=15")
        run.resolve("gate", {"action": "accept"}).expect(200)
        made = polled.result()
    ensure(made["events"] and made["events"][0]["sequence"] == last + 1,
           "the poll gives the next event:", made)


def polls_from_one_to_the_next_are_the_whole_log(host):
    """Somebody who polls with the last sequence seen misses nothing and sees nothing twice."""
    run = host.run("test-conversation")
    talk = Talk(run)
    seen = _poll(run)["events"]
    for said in ("One.", "Two.", None):
        if said:
            talk.exchange(said)
        else:
            talk.close(outcome="done").expect(200)
        seen += _poll(run, f"?lastSequence={seen[-1]['sequence']}&timeout=10")["events"]
    for _ in range(20):
        more = _poll(run, f"?lastSequence={seen[-1]['sequence']}&timeout=10")
        seen += more["events"]
        if more["isComplete"]:
            break
    check_log(seen, run.id)
    equal("polled events", seen, run.events())


def events_say_what_caused_them(host):
    """Events of a node that was suspended point to an earlier event of the same run."""
    run = host.run("conformance-approval")
    run.wait("waiting-approval")
    run.resolve("gate", {"action": "accept"}).expect(200)
    run.wait("completed")
    suspended, requested = run.event("node.suspended"), run.event("interrupt.requested")
    equal("cause of interrupt.requested", requested.get("causationId"), suspended["eventId"])
    resolved, resumed = run.event("interrupt.resolved"), run.event("node.resumed")
    ensure(resolved["sequence"] < resumed["sequence"],
           "interrupt.resolved comes before node.resumed:", [resolved, resumed])


def ids_of_events_differ_between_runs(host):
    """No two runs have an event with the same id."""
    one, other = (host.run("conformance-noop").finish().events() for _ in range(2))
    ensure(not {e["eventId"] for e in one} & {e["eventId"] for e in other},
           "two runs share ids of events:", [one, other])

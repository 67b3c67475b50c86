"""Streams of events: the backlog, what is new, the end, and what a cut does not lose."""

import concurrent.futures

from harness.check import ensure, equal, eventually
from harness.runs import Talk
from harness.sse import Parser, Stream, events_of

DEBUG = "?streamMode=debug"


def _all(run, query=DEBUG, last_id=None):
    with Stream(run, query, last_id) as stream:
        return events_of(stream.all())


def a_stream_of_an_ended_run_is_its_log_and_ends(host):
    """In mode debug each event comes once, with its sequence as id and its type; then the end."""
    for workflow in ("conformance-noop", "conformance-conversation-replay"):
        run = host.done(workflow)
        equal("streamed events", _all(run), run.events())


def accept_decides_between_stream_and_json(host):
    """JSON for application/json alone; a stream for text/event-stream, both, anything, nothing."""
    run = host.done("conformance-noop")
    answer = run.client.get(f"{run.path}/events", {"Accept": "application/json"}).expect(200)
    ensure(isinstance(answer.json.get("events"), list), f"{answer}: expected events")
    for accept in ("text/event-stream", "application/json, text/event-stream", "*/*", None):
        headers = {} if accept is None else {"Accept": accept}
        answer = run.client.get(f"{run.path}/events", headers).expect(200)
        kind = answer.headers.get("content-type", "").split(";")[0]
        equal(f"Content-Type for Accept: {accept}", kind, "text/event-stream")
        ensure(Parser().feed(answer.body), f"{answer}: expected messages")


def last_event_id_continues_after_each_event(host):
    """For each sequence, exactly the events after it come, then the end."""
    run = host.done("conformance-multi-node")
    log = run.events()
    for place in range(len(log)):
        equal(f"events after {place}", _all(run, last_id=place), log[place + 1:])


def last_event_id_continues_in_the_default_mode(host):
    """What the mode leaves out is no gap: the events after the id come, those of the mode."""
    run = host.done("conformance-multi-node")
    whole = _all(run, "")
    for place in range(len(run.events())):
        equal(f"events after {place}", _all(run, "", place),
              [each for each in whole if each["sequence"] > place])


def an_id_at_or_after_the_end_gives_nothing(host):
    """200, no event, and the end."""
    run = host.done("conformance-noop")
    last = run.events()[-1]["sequence"]
    for place in (last, last + 1, 99999):
        equal(f"events after {place}", _all(run, last_id=place), [])


def a_stream_cut_anywhere_is_joined_again(host):
    """Cut after any byte, and continued after the last whole message: no event lost or doubled."""
    run = host.done("conformance-conversation-lifecycle")
    log = run.events()
    answer = run.client.get(f"{run.path}/events{DEBUG}", {"Accept": "text/event-stream"})
    whole = answer.expect(200).body
    equal("events of the whole stream", events_of(Parser().feed(whole)), log)
    boundary = whole.index(b"\n\n") + 2
    cuts = sorted({*range(0, len(whole), max(1, len(whole) // 60)), len(whole) - 1,
                   *range(max(0, boundary - 8), boundary + 9)})
    for cut in cuts:
        parser = Parser()
        with Stream(run, DEBUG) as stream:
            read = b""
            while len(read) < cut:
                some = stream.response.read(cut - len(read))
                ensure(some, f"{stream.asked}: the stream ended after {len(read)} bytes; "
                             f"it had {len(whole)} before")
                read += some
        seen = parser.feed(read)
        with Stream(run, DEBUG, seen[-1].id if seen else None) as stream:
            seen += stream.all()
        equal(f"events after a cut at byte {cut}", events_of(seen), log)


def new_events_come_as_they_happen(host):
    """A stream that was opened before the answer shows it, and ends with the run."""
    run = host.run("conformance-approval")
    with Stream(run, DEBUG) as stream:
        seen = stream.until(lambda each: each.type == "interrupt.requested")
        run.wait("waiting-approval")
        run.resolve("gate", {"action": "accept"}).expect(200)
        seen += stream.all()
    equal("streamed events", events_of(seen), run.events())


def an_open_conversation_can_be_followed_in_pieces(host):
    """A reader that reconnects after each event sees each once."""
    talk = Talk(host.run("test-conversation"))
    seen, last = [], None
    for said in ("One.", "Two.", None):
        if said:
            talk.exchange(said)
        else:
            talk.close(outcome="done").expect(200)
        log = talk.run.events()
        while len(seen) < len(log):
            with Stream(talk.run, DEBUG, last) as stream:
                seen.append(stream.until(lambda _: True)[0])
            last = seen[-1].id
        equal("streamed events", events_of(seen)[:len(log)], log)


def a_reader_that_goes_away_cancels_nothing(host):
    """After readers have left in the middle, the run goes on and completes."""
    run = host.run("conformance-delay", inputs={"delayMs": 300})
    for _ in range(5):
        with Stream(run, DEBUG) as stream:
            stream.until(lambda each: each.type == "run.started")
    run.wait("completed")


def many_readers_see_the_same(host):
    """Thirty streams of one run have the same events."""
    run = host.run("conformance-approval")
    run.wait("waiting-approval")
    with concurrent.futures.ThreadPoolExecutor(30) as pool:
        read = [pool.submit(_all, run) for _ in range(30)]
        run.resolve("gate", {"action": "accept"}).expect(200)
        logs = [each.result() for each in read]
    whole = run.finish().events()
    for each in logs:
        equal("streamed events", each, whole)


def nothing_is_streamed_before_it_can_be_read(host):
    """An event that a reader has been shown is in the log that is read then."""
    run = host.run("conformance-multi-node")
    with Stream(run, DEBUG) as stream:
        while (message := stream.next()) is not None:
            place = message.json["sequence"]
            log = run.events()
            ensure(len(log) > place, f"event {place} was streamed, but the log has {len(log)}")
            equal("the streamed event", message.json, log[place])


def a_stream_of_a_paused_run_stays_open(host):
    """Nothing ends a stream but the run's end: it shows run.paused and, later, the rest."""
    for run in host.longer_and_longer("test-pause"):
        with Stream(run, DEBUG) as stream:
            seen = stream.until(lambda each: each.type == "node.started")
            paused = host.client.post(f"{run.path}:pause")
            if paused.status != 202:
                continue
            seen += stream.until(lambda each: each.type == "run.paused")
            eventually("paused", lambda run=run: run.snapshot()["status"] == "paused")
            host.client.post(f"{run.path}:resume").expect(202)
            seen += stream.all()
            break
    paused.expect(202)
    equal("streamed events", events_of(seen), run.finish().events())

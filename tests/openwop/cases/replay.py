"""Replays: nobody is asked again, and what comes out is what was recorded."""

import json

from harness.check import ensure, equal, show
from harness.runs import TURNS, WAITING, Run, Talk, turns_of


def _content(log):
    return [(each["type"], each.get("nodeId")) for each in log]


def _channels(run):
    """The channels as text: the order of members counts."""
    channels = run.snapshot().get("channels")
    ensure(channels, f"run {run.id} has no channels")
    return json.dumps(channels)


def _replayed(source, status="completed", **how):
    """A replay that has ended; fails if it ever waits for somebody."""
    fork = source.forked("replay", **how)
    seen = fork.wait(status, *WAITING)
    ensure(seen["status"] == status, "a replay asks somebody:", seen)
    return fork


def _conversation(host):
    """A run whose conversation a person held: three exchanges, then a close."""
    if "replayed conversation" not in host.finished:
        talk = Talk(host.run("test-conversation"))
        for said in ("One.", {"two": 2}, None):
            talk.exchange(said, groupId="g1")
        talk.close(turn=talk.turn("Enough."), outcome={"decided": True}).expect(200)
        host.finished["replayed conversation"] = talk.run.finish()
    return host.finished["replayed conversation"]


def channels_of_a_replay_are_equal_byte_for_byte(host):
    """Of a conversation that the host held, and of one that a person held."""
    for source in (host.done("conformance-conversation-replay"), _conversation(host)):
        fork = _replayed(source)
        equal("channels", _channels(fork), _channels(source))


def a_replay_is_equal_turn_by_turn(host):
    """Each event of the conversation has the payload that was recorded, its ids included."""
    for source in (host.done("conformance-conversation-replay"), _conversation(host)):
        fork = _replayed(source)
        wanted = [(each["type"], each["payload"]) for each in source.events(*TURNS)]
        got = [(each["type"], each["payload"]) for each in fork.events(*TURNS)]
        equal("events of the conversation", got, wanted)
        equal("divergences", fork.events("replay.diverged"), [])


def a_replay_never_asks_a_person_again(host):
    """Approval, clarification and conversation are answered from the log, with the same answer."""
    approval = host.run("conformance-approval")
    approval.wait("waiting-approval")
    approval.resolve("gate", {"action": "accept"}).expect(200)
    clarification = host.run("conformance-clarification")
    clarification.wait("waiting-input")
    clarification.resolve("ask", {"answers": {"q1": "blue"}}).expect(200)
    for source in (approval.finish(), clarification.finish(), _conversation(host)):
        fork = _replayed(source)
        equal("answer in the replay", fork.event("node.resumed")["payload"].get("resumeValue"),
              source.event("node.resumed")["payload"].get("resumeValue"))
        fork.resolve(fork.event("node.suspended")["nodeId"], {"action": "accept"}).expect(
            400, 404, 409, 422)


def a_replay_from_any_place_is_the_same(host):
    """From each sequence of a conversation, history and replay together are the source again."""
    source = _conversation(host)
    log = source.events()
    for place in range(len(log)):
        fork = _replayed(source, fromSeq=place)
        equal(f"types and nodes from {place}", _content(fork.events()), _content(log))
        equal(f"turns from {place}", turns_of(fork), turns_of(source))
        equal(f"channels from {place}", _channels(fork), _channels(source))


def two_replays_are_equal(host):
    """As many events, of the same types and nodes, also from the middle."""
    for workflow in ("conformance-noop", "conformance-multi-node",
                     "conformance-conversation-replay"):
        source = host.done(workflow)
        for place in (0, len(source.events()) // 2):
            one, other = (_replayed(source, fromSeq=place) for _ in range(2))
            equal("types and nodes", _content(one.events()), _content(other.events()))


def what_failed_fails_again(host):
    """The replay of a failed run has its error, of one that timed out, too; nobody waits."""
    for late in host.longer_and_longer("test-conversation-timeout"):
        talk = Talk(late, waits=False)
        said = talk.offer(talk.turn())
        if said.status == 200:
            break
    said.expect(200)
    for source in (host.run("conformance-failure").finish("failed"), late.finish("failed")):
        fork = _replayed(source, "failed")
        equal("code", fork.snapshot()["error"]["code"], source.snapshot()["error"]["code"])
        equal("turns", turns_of(fork), turns_of(source))


def a_replay_of_an_open_conversation_ends(host):
    """The fork has what is recorded, ends there instead of waiting, and refuses live turns."""
    talk = Talk(host.run("test-conversation"))
    talk.exchange("One.")
    answer = talk.run.unchanged_by(lambda: talk.run.fork("replay"), "a replay while it is open")
    fork = Run(host.client, answer.expect(201).json["runId"]).finish("cancelled")
    equal("turns of the fork", turns_of(fork)[:-1], turns_of(talk.run))
    equal("divergences", fork.events("replay.diverged"), [])
    ensure("replay_source_open" in fork.event("run.cancelled")["payload"]["reason"],
           "no reason:", fork.event("run.cancelled"))
    for value in ({"operation": "exchange", "turn": talk.turn("Two.")}, {"operation": "close"}):
        fork.unchanged_by(lambda value=value: fork.resolve("convo", value).expect(
            400, 404, 409, 422), "a live turn for a replay")
    talk.exchange("Two.")
    talk.close().expect(200)
    talk.run.wait("completed")


def a_changed_definition_diverges_and_says_so(host):
    """Fewer turns, a node less, a schema that a recorded turn breaks: replay.diverged is told."""
    talk = Talk(host.run("test-changes-schema"))
    talk.exchange("free text")
    talk.close(outcome="done").expect(200)
    sources = {"test-changes-schema": talk.run.finish()}
    for workflow in ("test-changes-turns", "test-changes-nodes"):
        sources[workflow] = host.run(workflow).finish()

    def change(workflow, edit):
        made = host.definition(workflow)
        edit(made)
        (host.workflows / f"{workflow}.json").write_text(json.dumps(made), encoding="utf-8")

    def without_b(made):
        made["nodes"] = [each for each in made["nodes"] if each["id"] != "b"]
        made["edges"] = [{"id": "a-c", "sourceNodeId": "a", "targetNodeId": "c"}]

    change("test-changes-turns", lambda made: made["nodes"][0]["config"].update(turnCount=2))
    change("test-changes-schema",
           lambda made: made["nodes"][0]["config"].update(schema={"type": "integer"}))
    change("test-changes-nodes", without_b)
    host.restart()
    faults = []
    for workflow, source in sources.items():
        fork = source.forked("replay")
        ended = fork.wait("completed", "failed", *WAITING)
        told = fork.events("replay.diverged")
        if ended["status"] in WAITING:
            faults.append(f"{workflow}: the replay asks somebody: {show(ended)}")
        if not told or told[0]["payload"]["sourceRunId"] != source.id:
            faults.append(f"{workflow}: no replay.diverged of {source.id}: {show(fork.events())}")
        for each in told:
            place = each["payload"]["atSequence"]
            original = each["payload"].get("originalEventId")
            if original not in (None, *(e["eventId"] for e in source.events()
                                        if e["sequence"] == place)):
                faults.append(f"{workflow}: originalEventId is not that of {place}: {show(each)}")
    ensure(not faults, "; ".join(faults))
    source = sources["test-changes-schema"]
    fork = source.forked("replay").finish()
    equal("turns in spite of the schema", turns_of(fork), turns_of(source))
    exchanged = source.event("conversation.exchanged")
    ensure(exchanged["eventId"] in [each["payload"].get("originalEventId")
                                    for each in fork.events("replay.diverged")],
           "nothing says that the schema refuses the turn:", fork.events("replay.diverged"))
    _aborts(source, divergencePolicy="abort")
    source.fork("replay", divergencePolicy="stop").refused(400, "validation_error")
    source.fork("branch", fromSeq=0, divergencePolicy="abort").refused(400, "validation_error")
    host.restart("--replay-divergence", "abort")
    equal("policy", host.client.get("/.well-known/openwop").json["replay"]["divergencePolicy"],
          "abort")
    _aborts(source)
    source.forked("replay", divergencePolicy="continue").finish()
    host.restart()


def _aborts(source, **how):
    """A replay fails where it differs, and has nothing after that."""
    fork = source.forked("replay", **how).finish("failed")
    equal("code", fork.snapshot()["error"]["code"], "replay_diverged")
    told = [each["type"] for each in fork.events()]
    equal("divergences", told.count("replay.diverged"), 1)
    ensure("conversation.exchanged" not in told, "it goes on:", told)

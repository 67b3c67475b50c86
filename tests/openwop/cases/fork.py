"""Forks: what may be forked and how, and what a branch does of its own."""

from harness.check import among, ensure, equal, holds
from harness.runs import TURNS, WAITING, Run, Talk, turns_of

UNKNOWN = "run-that-nobody-started"


def _content(log):
    """What two logs have in common if the same happened: types, nodes."""
    return [(each["type"], each.get("nodeId")) for each in log]


def a_fork_answers_201(host):
    """The answer has both runs, where and how it was forked, its status, and a URL that works."""
    source = host.done("conformance-noop")
    answer = source.fork("replay", fromSeq=1).expect(201)
    holds("the answer", answer.json, {"sourceRunId": source.id, "fromSeq": 1, "mode": "replay"})
    ensure(isinstance(answer.json.get("status"), str), f"{answer}: expected a status")
    ensure(answer.json["runId"] != source.id, f"{answer}: the fork has the id of its source")
    path = "/" + answer.json["eventsUrl"].split("://", 1)[-1].split("/", 1)[1]
    host.client.get(path, {"Accept": "application/json"}).expect(200)
    Run(host.client, answer.json["runId"]).wait("completed")


def a_replay_begins_at_0_unless_told(host):
    """Without fromSeq a replay is one of the whole run."""
    answer = host.done("conformance-noop").fork("replay").expect(201)
    equal("fromSeq", answer.json.get("fromSeq"), 0)


def wrong_requests_are_refused(host):
    """Modes, places and overlays that cannot be: 400; a place beyond the log: 422."""
    run = host.done("conformance-multi-node")
    last = run.events()[-1]["sequence"]
    for status, body in ((400, {}), (400, {"mode": "rewind", "fromSeq": 0}), (400, {"mode": 1}),
                         (400, {"mode": "replay", "fromSeq": -1}),
                         (400, {"mode": "replay", "fromSeq": 1.5}),
                         (400, {"mode": "replay", "fromSeq": "1"}),
                         (400, {"mode": "branch"}), (400, {"mode": "branch", "fromSeq": -1}),
                         (400, {"mode": "replay", "fromSeq": 0,
                                "runOptionsOverlay": {"tags": ["x"]}}),
                         (422, {"mode": "replay", "fromSeq": last + 1000}),
                         (422, {"mode": "branch", "fromSeq": last + 1000})):
        run.unchanged_by(lambda body=body, status=status: run.client.post(
            f"{run.path}:fork", body).refused(status), f"forking with {body}")


def what_does_not_exist_is_not_forked(host):
    """An unknown source is 404."""
    for mode in ("replay", "branch"):
        host.client.post(f"/v1/runs/{UNKNOWN}:fork", {"mode": mode, "fromSeq": 0}).refused(
            404, "not_found")


def a_fork_leaves_its_source_alone(host):
    """Log and snapshot of the source are as they were after replays and branches."""
    run = host.done("conformance-multi-node")
    before = [run.events(), run.snapshot()]
    for mode in ("replay", "branch"):
        run.forked(mode, fromSeq=3).wait("completed")
    equal("the source", [run.events(), run.snapshot()], before)


def a_fork_at_any_place_completes(host):
    """From each sequence, in both modes, the fork completes with the source's history before it."""
    source = host.done("conformance-multi-node")
    log = source.events()
    for mode in ("replay", "branch"):
        for place in range(len(log)):
            fork = source.forked(mode, fromSeq=place).finish()
            made = fork.events()
            equal(f"history of a {mode} from {place}", _content(made[:place]),
                  _content(log[:place]))
            equal(f"nodes of a {mode} from {place}",
                  [e["nodeId"] for e in made if e["type"] == "node.completed"], ["a", "b", "c"])


def a_fork_has_ids_of_its_own(host):
    """No eventId of the source occurs in the fork."""
    source = host.done("conformance-multi-node")
    fork = source.forked("replay", fromSeq=4).finish()
    ensure(not {e["eventId"] for e in source.events()} & {e["eventId"] for e in fork.events()},
           "source and fork share ids of events:", [source.events(), fork.events()])


def a_branch_inside_a_conversation_goes_on_in_it(host):
    """Turns before the place stay; the conversation is live from the next index, under its id."""
    talk = Talk(host.run("test-conversation"))
    talk.exchange("One.")
    talk.exchange("Two.")
    talk.close(outcome="first end").expect(200)
    source = talk.run.finish()
    second = source.events("conversation.exchanged")[1]
    branch = Talk(source.forked("branch", fromSeq=second["sequence"]))
    equal("turns that the branch has", turns_of(branch.run), turns_of(source)[:2])
    branch.index = 2
    branch.exchange("Other.", messageId="said-in-the-branch")
    branch.close(outcome="other end").expect(200)
    branch.run.wait("completed")
    equal("what was said", [each["content"] for each in turns_of(branch.run)][1:3],
          ["One.", "Other."])
    ids = {each["payload"]["conversationId"] for each in branch.run.events(*TURNS)}
    equal("ids of the conversation", ids == {f"{source.id}:convo:0"}, True)
    equal("channel of the branch", branch.run.snapshot()["channels"]["conversation"],
          turns_of(branch.run))
    equal("outcome of the source", source.event("conversation.closed")["payload"]["outcome"],
          "first end")


def a_branch_at_any_place_of_a_conversation_can_be_ended(host):
    """Before the close it waits for somebody, after it it has ended; in its middle, either."""
    talk = Talk(host.run("test-conversation"))
    talk.exchange("One.")
    talk.close(outcome="done").expect(200)
    source = talk.run.finish()
    closed, completed = (source.event(each)["sequence"]
                         for each in ("conversation.closed", "node.completed"))
    for place in range(len(source.events())):
        branch = source.forked("branch", fromSeq=place)
        status = branch.wait("completed", *WAITING)["status"]
        if not closed < place < completed:
            equal(f"whether the branch from {place} has ended by itself", status == "completed",
                  place >= completed)
        if status in WAITING:
            Talk(branch).close(outcome="other").expect(200)
            branch.wait("completed")


def a_branch_from_before_the_opening_asks_anew(host):
    """The branch has a new conversation, under its own run's id, and waits."""
    talk = Talk(host.run("test-conversation"))
    talk.exchange("One.")
    talk.close().expect(200)
    branch = talk.run.finish().forked("branch", fromSeq=0)
    branch.wait(*WAITING)
    equal("conversationId", branch.event("conversation.opened")["payload"]["conversationId"],
          f"{branch.id}:convo:0")
    equal("turns", len(turns_of(branch)), 1)
    Talk(branch).close().expect(200)
    branch.wait("completed")


def a_branch_from_before_an_approval_asks_again(host):
    """Another answer can be given in the branch."""
    run = host.run("conformance-approval")
    run.wait("waiting-approval")
    run.resolve("gate", {"action": "accept"}).expect(200)
    run.wait("completed")
    branch = run.forked("branch", fromSeq=0)
    branch.wait("waiting-approval")
    branch.resolve("gate", {"action": "accept"}).expect(200)
    branch.wait("completed")


def a_fork_can_be_forked(host):
    """A replay of a replay is the same once more."""
    source = host.done("conformance-conversation-replay")
    fork = source.forked("replay").finish()
    again = fork.forked("replay").finish()
    equal("what happened in both", _content(again.events()), _content(fork.events()))
    equal("turns", turns_of(again), turns_of(source))


def forking_a_run_that_goes_on_is_possible_or_told(host):
    """A replay of a run that waits is made, and waits as well, or is 409."""
    run = host.run("conformance-approval")
    run.wait("waiting-approval")
    answer = run.unchanged_by(lambda: run.fork("replay"), "a replay of a run that waits")
    among(f"{answer}: status", answer.status, (201, 409))
    run.cancel().expect(200)


def a_branch_has_the_options_of_its_overlay(host):
    """configurable, tags and metadata of runOptionsOverlay, each in place of the source's."""
    source = host.run("conformance-noop", tags=["a"], metadata={"m": 1}).finish()
    for place in (0, len(source.events())):
        branch = source.forked("branch", fromSeq=place, runOptionsOverlay={
            "configurable": {"recursionLimit": 7}, "tags": ["b", "c"], "metadata": {"n": 2}})
        holds("the branch", branch.finish().snapshot(), {
            "tags": ["b", "c"], "metadata": {"n": 2}, "configurable": {"recursionLimit": 7}})
        kept = source.forked("branch", fromSeq=place).finish().snapshot()
        holds("a branch without an overlay", kept, {"tags": ["a"], "metadata": {"m": 1}})
        for overlay in ({"tags": "b"}, {"tags": [1]}, {"metadata": []}, {"inputs": {}},
                        {"tags": ["t"] * 101}):
            error = source.fork("branch", fromSeq=place, runOptionsOverlay=overlay).refused(
                400, "validation_error")
            ensure(error["details"]["path"].startswith("/runOptionsOverlay/"), "no path:", error)

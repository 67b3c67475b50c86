"""Orchestrators of runs: what they decide comes from outside, a person is asked as the host can,
workers are nodes that are chosen."""

import contextlib
import pathlib
import tempfile

from harness.check import ensure, equal, holds
from harness.host import Host
from harness.runs import Talk


def _decide(run, node, **decision):
    return run.resolve(node, decision)


def _causes(run):
    """The type of each event's cause, by the event's type and node."""
    log = run.events()
    types = {each["eventId"]: each["type"] for each in log}
    return {(each["type"], each.get("nodeId")): types.get(each.get("causationId")) for each in log}


def _asked(host):
    """A run whose orchestrator has asked a person, in a conversation."""
    run = host.run("test-orchestrator")
    run.wait("waiting-input")
    _decide(run, "first", kind="ask-user", prompt="Which colour?").expect(200)
    run.wait("waiting-approval")
    return run


def the_discovery_document_says_so(host):
    """orchestrator and dispatch are there, with the routings."""
    made = host.nobody.get("/.well-known/openwop").expect(200).json
    holds("orchestrator", made["orchestrator"], {"supported": True,
                                                 "workerIdInterpretation": "node"})
    equal("routings", sorted(made["dispatch"]["askUserRoutings"]),
          ["auto", "clarification", "conversation"])
    ensure("low-confidence" in made["interrupts"]["kinds"], "kinds:", made["interrupts"])


def a_person_is_asked_and_workers_are_chosen(host):
    """decided, suspended, opened; the answer is the dispatch's output; of three workers two run."""
    run = _asked(host)
    causes = _causes(run)
    equal("cause of the suspension", causes["node.suspended", "ask"], "runOrchestrator.decided")
    equal("cause of the opening", causes["conversation.opened", "ask"], "node.suspended")
    opened = run.event("conversation.opened")["payload"]
    equal("prompt", opened["initialTurn"]["content"], "Which colour?")
    talk = Talk(run, "ask")
    talk.close(turn=talk.turn("Blue."), outcome="blue").expect(200)
    run.wait("waiting-input")
    holds("outputs", run.snapshot()["nodeStates"]["ask"]["outputs"],
          {"answer": "Blue.", "outcome": "blue"})
    _decide(run, "second", kind="next-worker", nextWorkerIds=["c", "a"]).expect(200)
    run.finish()
    equal("started", [each["nodeId"] for each in run.events("node.started")][-2:], ["c", "a"])
    equal("skipped", [each["nodeId"] for each in run.events("node.skipped")], ["b"])
    equal("cause of a worker", _causes(run)["node.started", "c"], "runOrchestrator.decided")
    holds("snapshot", run.snapshot()["runOrchestrator"], {"agentId": "planner",
                                                          "decisionsTaken": 2})


def a_wrong_decision_is_refused_with_its_place(host):
    """Nothing is appended; another orchestrator may not decide."""
    run = host.run("test-orchestrator")
    run.wait("waiting-input")
    for value, path in (({"kind": "next-worker"}, "/nextWorkerIds"), ({"kind": "ask-user"}, "/prompt"),
                        ({"kind": "dance"}, "/kind"), ({"decision": {"kind": "ask-user"}},
                                                       "/decision/prompt"),
                        ({"agentId": "other", "decision": {"kind": "terminate"}}, "/agentId"),
                        ({"kind": "next-worker", "nextWorkerIds": ["z"]}, "/nextWorkerIds/0"),
                        ({"kind": "terminate", "confidence": 2}, "/confidence")):
        answer = run.unchanged_by(lambda value=value: run.resolve("first", value), f"{value}")
        error = answer.refused(400, "validation_error")
        ensure(path in str(error["details"]), f"{value}: the place {path} is missing:", error)
    run.cancel().expect(200)


def low_confidence_is_put_before_a_person(host):
    """Below the run's threshold the run waits for an approval; accepted, it goes on."""
    for answer, status in (({"action": "accept"}, "completed"), ({"action": "reject"}, "failed"),
                           ({"kind": "terminate", "reason": "mine"}, "completed")):
        run = host.run("test-orchestrator", configurable={"escalationThreshold": 0.5})
        run.wait("waiting-input")
        _decide(run, "first", kind="terminate", confidence=0.4).expect(200)
        run.wait("waiting-approval")
        asked = run.events("interrupt.requested")[-1]["payload"]
        equal("kind", asked["kind"], "low-confidence")
        holds("data", asked["data"], {"agentId": "planner", "threshold": 0.5, "observed": 0.4})
        ensure(not run.events("runOrchestrator.decided"), "it is decided before it is accepted")
        run.resolve("first", answer).expect(200)
        run.wait(status)
    run = host.run("test-orchestrator", configurable={"escalationThreshold": 0.4})
    run.wait("waiting-input")
    _decide(run, "first", kind="terminate", confidence=0.4, reason="done").expect(200)
    run.finish()
    equal("reason", run.event("run.completed")["payload"]["reason"], "done")


def it_goes_on_after_a_kill_and_replays_without_asking(host):
    """A killed server asks on; a replay has the same events, a branch asks anew."""
    run = _asked(host)
    host.restart()
    run.wait("waiting-approval")
    talk = Talk(run, "ask")
    talk.close(turn=talk.turn("Blue.")).expect(200)
    run.wait("waiting-input")
    _decide(run, "second", kind="next-worker", nextWorkerIds=["b"]).expect(200)
    run.finish()
    told = [(each["type"], each.get("nodeId")) for each in run.events()]
    for place in range(0, len(told), 5):
        replay = run.forked("replay", fromSeq=place).finish()
        equal("events of a replay", [(each["type"], each.get("nodeId")) for each in replay.events()],
              told)
    branch = run.forked("branch", fromSeq=1)
    branch.wait("waiting-input")
    branch.cancel().expect(200)


@contextlib.contextmanager
def _without_conversations(host, folder):
    made = Host(host.program, folder, host.workflows, ["--without-conversations"])
    try:
        made.start()
        yield made
    finally:
        made.kill()


def without_conversations_a_person_gets_a_clarification(host):
    """auto is a clarification there; a routing that says conversation is refused. A replay keeps
    what was recorded, also on a host that can more."""
    with tempfile.TemporaryDirectory() as folder, \
            _without_conversations(host, pathlib.Path(folder) / "host") as second:
        refused = second.client.post("/v1/runs", {"workflowId": "test-orchestrator-talks"}).refused(
            (400, 404, 422), ("validation_error", "capability_required", "not_found"))
        equal("offendingTypeId", refused["details"]["offendingTypeId"], "core.dispatch")
        run = second.run("test-orchestrator-asks")
        run.wait("waiting-input")
        equal("kind", run.event("interrupt.requested")["payload"]["kind"], "clarification")
        run.resolve("ask", {"answers": {"other": "blue"}}).refused(400, "validation_error")
        run.resolve("ask", {"answers": {"answer": "blue"}}).expect(200)
        run.finish()
        equal("answer", run.snapshot()["nodeStates"]["ask"]["outputs"]["answer"], "blue")
        second.options = []
        second.restart()
        replay = run.forked("replay").finish()
        equal("events", [each["type"] for each in replay.events()],
              [each["type"] for each in run.events()])
        branch = run.forked("branch", fromSeq=1)
        branch.wait("waiting-approval")

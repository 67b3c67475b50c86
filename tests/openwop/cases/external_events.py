"""External events and custom interrupts: what is waited for, what answers it, replays, branches."""

from harness.check import ensure, equal, holds

EVENT, CUSTOM = "test-external-event", "test-custom-interrupt"
PAID = {"orderId": "order-1", "sum": 20}


def _waiting(host, workflow):
    run = host.run(workflow)
    run.wait("waiting-external" if workflow == EVENT else "waiting-input")
    return run


def both_kinds_are_advertised(host):
    """The discovery document has the kinds that nodes can ask for."""
    made = host.nobody.get("/.well-known/openwop").expect(200).json
    for place in (made, made["capabilities"]):
        kinds = place["interrupts"]["kinds"]
        ensure({"external-event", "custom"} <= set(kinds), "kinds of interrupts:", kinds)


def a_node_waits_for_an_event(host):
    """The run is waiting-external at the node; the log tells which event."""
    run = _waiting(host, EVENT)
    holds("snapshot", run.snapshot(), {"currentNodeId": "wait"})
    holds("interrupt.requested", run.event("interrupt.requested")["payload"],
          {"kind": "external-event", "nodeId": "wait",
           "data": {"eventType": "order.paid", "correlation": {"orderId": "order-1"}}})
    run.cancel().expect(200)


def another_event_leaves_it_waiting(host):
    """What differs in a member of the correlation, or lacks it, is refused; nothing is appended."""
    run = _waiting(host, EVENT)
    for value in ({"orderId": "order-2"}, {"sum": 20}, "order-1", None,
                  {"eventPayload": {"orderId": 1}}):
        run.unchanged_by(lambda value=value: run.resolve("wait", value).refused(
            (400, 422), "validation_error"), f"answering {value}")
    run.cancel().expect(200)


def the_event_is_passed_on(host):
    """The right one resumes the node, bare or as eventPayload; nodes after it get it."""
    for value in (PAID, {"eventPayload": PAID}):
        run = _waiting(host, EVENT)
        run.resolve("wait", value).expect(200)
        run.wait("completed")
        equal("node.resumed", run.event("node.resumed")["payload"]["resumeValue"], value)
        equal("outputs", run.snapshot()["nodeStates"]["after"]["outputs"], {"came": value})


def a_custom_answer_matches_its_schema(host):
    """What resumeSchema refuses leaves the node waiting; what it takes goes on."""
    run = _waiting(host, CUSTOM)
    equal("resumeSchema", run.event("interrupt.requested")["payload"]["resumeSchema"],
          {"type": "number", "minimum": 0})
    for value in (-1, "1", None):
        run.unchanged_by(lambda value=value: run.resolve("wait", value).refused(
            (400, 422), "validation_error"), f"answering {value}")
    run.resolve("wait", 12.5).expect(200)
    run.wait("completed")
    equal("outputs", run.snapshot()["nodeStates"]["after"]["outputs"], {"came": 12.5})


def a_replay_asks_nobody_and_a_branch_asks_again(host):
    """The recorded answer is taken again; a branch from before it waits for one of its own."""
    for workflow, value in ((EVENT, PAID), (CUSTOM, 7)):
        run = _waiting(host, workflow)
        run.resolve("wait", value).expect(200)
        run.wait("completed")
        replay = run.forked("replay").finish()
        equal("what happened", [each["type"] for each in replay.events()],
              [each["type"] for each in run.events()])
        equal("what came", replay.event("interrupt.resolved")["payload"]["resumeValue"], value)
        branch = run.forked("branch", fromSeq=1)
        branch.wait("waiting-external", "waiting-input")
        branch.resolve("wait", value).expect(200)
        branch.wait("completed")


def an_event_comes_after_a_restart(host):
    """A killed server waits for it again."""
    run = _waiting(host, EVENT)
    host.restart()
    run.wait("waiting-external")
    run.resolve("wait", PAID).expect(200)
    run.wait("completed")

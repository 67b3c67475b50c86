"""Child runs: sub-workflows, and dispatches whose workers are workflows."""

import time

from harness.check import ensure, equal, eventually, holds
from harness.runs import Run


def _child_of(parent, place=0):
    """The child run of a parent, once it is there."""
    def _started():
        made = parent.events("node.dispatched")
        return len(made) > place and parent.client.get(
            f"/v1/runs/{made[place]['payload']['childRunId']}").status == 200
    eventually("the child run is there", _started)
    return Run(parent.client, parent.events("node.dispatched")[place]["payload"]["childRunId"])


def _waiting(host, **inputs):
    """A parent whose child waits for an approval."""
    parent = host.run("test-parent", inputs=inputs)
    child = _child_of(parent)
    child.wait("waiting-approval")
    return parent, child


def the_discovery_document_offers_them(host):
    """child-run is a model of dispatches, and variables are mapped."""
    made = host.nobody.get("/.well-known/openwop").expect(200).json
    ensure("child-run" in made["dispatch"]["models"], "models:", made["dispatch"])
    holds("capabilities", made["capabilities"], {"agents": {"dispatchMapping": True},
                                                 "subWorkflow": {"inputMapping": True}})


def a_child_gets_variables_and_gives_some_back(host):
    """Its inputs are the parent's variables; what it made and wrote are the parent's then."""
    parent, child = _waiting(host, topic="fish")
    holds("the child", child.snapshot(), {"parentRunId": parent.id, "parentNodeId": "call",
                                          "childDepth": 1, "workflowId": "test-child"})
    equal("its variable", child.snapshot()["variables"]["about"], "fish")
    equal("children of the parent", parent.snapshot()["childRuns"],
          [{"runId": child.id, "workflowId": "test-child", "nodeId": "call", "status": "running"}])
    child.resolve("gate", {"action": "accept"}).expect(200)
    made = parent.wait("completed")
    holds("variables of the parent", made["variables"], {"result": "a nest", "heard": ["fish"]})
    equal("outputs", parent.event("node.completed")["payload"]["outputs"],
          {"childRunId": child.id, "childStatus": "completed"})


def the_fixture_takes_the_result_of_its_child(host):
    """conformance-subworkflow-parent completes with childOutcome, and its child knows it."""
    parent = host.done("conformance-subworkflow-parent")
    equal("childOutcome", parent.snapshot()["variables"]["childOutcome"], "child-completed")
    outputs = parent.event("node.completed")["payload"]["outputs"]
    holds("the child", Run(host.client, outputs["childRunId"]).snapshot(),
          {"status": "completed", "parentRunId": parent.id, "parentNodeId": "subwf-call"})


def cancelling_a_parent_cancels_its_child(host):
    """Both are cancelled."""
    parent, child = _waiting(host)
    parent.cancel().expect(200)
    parent.wait("cancelled")
    child.wait("cancelled")


def cancelling_a_child_fails_its_parent(host):
    """The node fails with child_cancelled, and the run with it."""
    parent, child = _waiting(host)
    child.cancel().expect(200)
    equal("error", parent.wait("failed")["error"]["code"], "child_cancelled")


def a_parent_goes_on_with_its_child_after_a_kill(host):
    """Killed while the child waits: there is one child, and its end is the parent's."""
    parent, child = _waiting(host)
    host.restart()
    child.resolve("gate", {"action": "accept"}).expect(200)
    parent.wait("completed")
    equal("children", [each["runId"] for each in parent.snapshot()["childRuns"]], [child.id])


def a_child_that_is_due_at_the_start_of_the_server_is_started_once(host):
    """Killed before the child's time: the next start finds the node due, and runs one child."""
    parent = host.run("test-parent-later")
    host.kill()
    time.sleep(2)  # the delay is over by then
    host.start()
    child = _child_of(parent)
    child.wait("waiting-approval")
    child.resolve("gate", {"action": "accept"}).expect(200)
    parent.wait("completed")
    equal("children", [each["runId"] for each in parent.snapshot()["childRuns"]], [child.id])


def a_workflow_of_an_unknown_one_is_not_started(host):
    """400, with the place."""
    made = host.client.post("/v1/runs", {"workflowId": "test-parent-of-nobody"}).expect(400).json
    equal("error", made["error"], "validation_error")
    holds("details", made["details"], {"rule": "unknown_child_workflow"})


def a_run_of_itself_ends(host):
    """So many runs may be above one, and all fail once there are."""
    run = host.run("test-parent-of-itself")
    equal("error", run.wait("failed")["error"]["code"], "child_failed")
    depth = 0
    while children := run.snapshot().get("childRuns"):
        run = Run(host.client, children[0]["runId"])
        if host.client.get(run.path).status == 404:
            break
        depth += 1
    equal("depth", depth, 5)


def workers_are_workflows_one_after_the_other(host):
    """The second worker gets what the first one has made; its end is the dispatch's output."""
    run = host.run("test-dispatches-workflows")
    run.wait("waiting-input")
    run.resolve("lead", {"kind": "next-worker",
                         "nextWorkerIds": ["test-quick-child", "test-child"]}).expect(200)
    first, second = _child_of(run), _child_of(run, 1)
    equal("input of the first", first.snapshot()["variables"]["input"], "by the parent")
    second.wait("waiting-approval")
    equal("input of the second", second.snapshot()["variables"]["input"], "by the first")
    second.resolve("gate", {"action": "accept"}).expect(200)
    run.wait("completed")
    outputs = next(each["payload"]["outputs"] for each in run.events("node.completed")
                   if each["nodeId"] == "act")
    holds("outputs", outputs, {"childRunId": second.id, "childStatus": "completed"})


def a_worker_that_is_no_workflow_fails_the_run(host):
    """Which ones there are only the server knows."""
    run = host.run("test-dispatches-workflows")
    run.wait("waiting-input")
    run.resolve("lead", {"kind": "next-worker", "nextWorkerIds": ["test-no-such"]}).expect(200)
    equal("error", run.wait("failed")["error"]["code"], "unknown_child_workflow")


def an_exclusive_start_meets_the_parent(host):
    """A child has its parent's tenant and scope; the refusal names the run that was started."""
    body = {"workflowId": "test-parent", "scopeId": "of-a-parent"}
    started = host.client.post("/v1/runs", body, {"X-Dedup": "enforce"}).expect(201)
    parent = Run(host.client, started.json["runId"])
    child = _child_of(parent)
    for restart in (False, True):
        if restart:
            host.restart()
        for _ in range(3):
            refused = host.client.post("/v1/runs", body, {"X-Dedup": "enforce"}).expect(409).json
            equal("the active run", refused["details"]["activeRunId"], parent.id)
    parent.cancel().expect(200)
    child.wait("cancelled")
    Run(host.client, host.client.post("/v1/runs", body, {"X-Dedup": "enforce"})
        .expect(201).json["runId"]).cancel().expect(200)


def a_replay_of_a_child_does_not_diverge(host):
    """The replay has no parent, which does not count as a difference."""
    parent, child = _waiting(host)
    child.resolve("gate", {"action": "accept"}).expect(200)
    parent.wait("completed")
    fork = child.forked("replay", divergencePolicy="abort").finish()
    ensure("parentRunId" not in fork.snapshot(), "it has a parent:", fork.snapshot())


def a_replay_starts_no_child(host):
    """It has the same child, which the source started, and what that gave."""
    parent, child = _waiting(host)
    child.resolve("gate", {"action": "accept"}).expect(200)
    parent.wait("completed")
    fork = parent.forked("replay").finish()
    equal("variables", fork.snapshot()["variables"], parent.snapshot()["variables"])
    equal("children", fork.snapshot()["childRuns"], parent.snapshot()["childRuns"])
    ensure(not fork.events("replay.diverged"), "it diverges:", fork.events())

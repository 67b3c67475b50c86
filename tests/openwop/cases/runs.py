"""Runs: how they start, end, fail, are cancelled, paused and limited."""

import concurrent.futures

from harness.check import among, ensure, equal, eventually, holds
from harness.runs import TERMINAL, Run


def starting_one_answers_201(host):
    """The answer has the id, a status and two URLs that work; the id fits into paths."""
    answer = host.client.post("/v1/runs", {"workflowId": "conformance-noop"}).expect(201)
    made = answer.json
    ensure(set(made) >= {"runId", "status", "eventsUrl", "statusUrl"},
           f"{answer}: expected runId, status, eventsUrl, statusUrl")
    among(f"{answer}: status of the run", made["status"], ("pending", "running", *TERMINAL))
    run_id = made["runId"]
    ensure(isinstance(run_id, str) and 1 <= len(run_id) <= 128 and not set(run_id) & set(":/"),
           f"{answer}: the id has 1 to 128 characters, none of : and /")
    for url in (made["eventsUrl"], made["statusUrl"]):
        path = "/" + url.split("://", 1)[-1].split("/", 1)[1]
        host.client.get(path, {"Accept": "application/json"}).expect(200)
    Run(host.client, run_id).wait("completed")


def a_noop_completes(host):
    """A run of one node starts, does its node, completes; the snapshot tells when."""
    run = host.done("conformance-noop")
    log = run.events()
    kinds = [e["type"] for e in log if e["type"].split(".")[0] in ("run", "node")]
    equal("events of run and node", kinds,
          ["run.started", "node.started", "node.completed", "run.completed"])
    equal("workflowId of run.started", log[0]["payload"]["workflowId"], "conformance-noop")
    snapshot = run.snapshot()
    ensure("startedAt" in snapshot and "completedAt" in snapshot,
           "a snapshot of a run that ended has startedAt and completedAt:", snapshot)
    ensure("currentNodeId" not in snapshot, "no node of an ended run is current:", snapshot)


def inputs_become_variables(host):
    """A value of any shape is in the snapshot's variables as it was given."""
    payload = {"text": "Grüß dich 👋 \" \\ /", "list": [1, -2, 3.25, True, None, [], {}],
               "deep": {"a": {"b": [{"c": "d"}]}}, "": "no name", "large": 9007199254740991}
    run = host.run("conformance-identity", inputs={"payload": payload}).finish()
    equal("variables.payload", run.snapshot()["variables"]["payload"], payload)


def missing_inputs_take_their_defaults(host):
    """A variable that is not given has its default."""
    run = host.run("conformance-delay", inputs={"delayMs": 1}).finish()
    equal("variables.delayMs", run.snapshot()["variables"]["delayMs"], 1)
    run = host.run("conformance-cancellable")
    equal("variables.delayMs", run.snapshot()["variables"]["delayMs"], 30000)
    run.cancel().expect(200)


def nodes_complete_in_the_order_of_edges(host):
    """node.completed of a, b and c follow each other, with the node in the envelope."""
    completed = host.done("conformance-multi-node").events("node.completed")
    equal("nodes that completed", [each["nodeId"] for each in completed], ["a", "b", "c"])


def a_node_that_fails_fails_its_run(host):
    """The run was accepted, then fails with the node's code and a message."""
    run = host.run("conformance-failure").finish("failed")
    error = run.snapshot()["error"]
    equal("code of the error", error["code"], "conformance_test_failure")
    ensure(error["message"], "the error has a message:", error)
    failed = run.event("node.failed")
    equal("node that failed", failed["nodeId"], "fail")
    last = run.event("run.failed")
    ensure(failed["sequence"] < last["sequence"], "node.failed comes before run.failed:", last)
    equal("code in run.failed", last["payload"]["error"]["code"], error["code"])


def a_running_run_can_be_cancelled(host):
    """Cancelling a delay ends it at once: node.cancelled, then run.cancelled as the last event."""
    run = host.run("conformance-cancellable")
    run.wait("running")
    answer = run.cancel().expect(200)
    holds("the answer", answer.json, {"runId": run.id})
    among(f"{answer}: status", answer.json.get("status"), ("cancelling", "cancelled"))
    run.wait("cancelled")
    equal("last events", [each["type"] for each in run.events()][-2:],
          ["node.cancelled", "run.cancelled"])


def cancelling_what_has_ended_says_how_it_ended(host):
    """A run that is terminal stays as it is: 200 with its status, nothing appended."""
    for run in (host.done("conformance-noop"), host.run("conformance-failure").finish("failed")):
        answer = run.unchanged_by(run.cancel, "cancelling a run that has ended").expect(200)
        equal("status", answer.json.get("status"), run.snapshot()["status"])


def cancelling_twice_is_one_cancellation(host):
    """Of many cancellations at once, by either path, each gets 200, and one run.cancelled is on the log."""
    run = host.run("conformance-cancellable")
    run.wait("running")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for answer in pool.map(lambda path: host.client.post(run.path + path),
                               ["/cancel", ":cancel"] * 4):
            answer.expect(200)
    run.wait("cancelled")
    equal("cancellations", len(run.events("run.cancelled", "node.cancelled")), 2)


def many_runs_at_once_are_many_runs(host):
    """Ten starts at once are ten runs that all complete."""
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        runs = list(pool.map(lambda _: host.run("conformance-noop"), range(10)))
    equal("different ids", len({each.id for each in runs}), 10)
    for each in runs:
        each.wait("completed")


def nodes_beyond_the_limit_are_not_started(host):
    """With recursionLimit 3, cap.breached comes once, then run.failed; n4 is never started."""
    run = host.run("conformance-cap-breach", configurable={"recursionLimit": 3}).finish("failed")
    equal("code", run.snapshot()["error"]["code"], "recursion_limit_exceeded")
    breach, last = run.event("cap.breached"), run.event("run.failed")
    holds("cap.breached", breach["payload"], {"kind": "node-executions", "limit": 3})
    ensure(breach["payload"]["observed"] > 3, "observed is above the limit:", breach)
    ensure(breach["sequence"] < last["sequence"], "cap.breached comes before run.failed:", last)
    equal("nodes that started", [each["nodeId"] for each in run.events("node.started")],
          ["n1", "n2", "n3"])


def the_limit_is_no_limit_for_those_within(host):
    """The same workflow completes without a limit, or with one of six."""
    for body in ({}, {"configurable": {"recursionLimit": 6}}):
        host.run("conformance-cap-breach", **body).finish()


def a_node_of_an_unknown_type_fails_before_it_starts(host):
    """The run fails with capability_not_provided, which says what is missing."""
    run = host.run("conformance-capability-missing").finish("failed")
    error = run.snapshot()["error"]
    equal("code", error["code"], "capability_not_provided")
    ensure("conformance.never-provided" in error["message"],
           "the message names conformance.never-provided:", error)
    equal("nodes that started", run.events("node.started"), [])


def configurable_is_held_against_its_schema(host):
    """What the workflow's schema does not take is 400 validation_error; the rest runs."""
    for wrong in ({"recursionLimit": "three"}, {"recursionLimit": 0}, {"tags": [1]},
                  {"something": 1}):
        host.client.post("/v1/runs", {"workflowId": "conformance-configurable-schema",
                                      "configurable": wrong}).refused((400, 422),
                                                                      "validation_error")
    run = host.run("conformance-configurable-schema",
                   configurable={"recursionLimit": 10, "tags": ["a"]})
    run.finish()


def pausing_waits_for_the_node_that_runs(host):
    """202, paused once the node is done, 202 to resume, completed; the log has both."""
    for run in host.longer_and_longer("test-pause"):
        host.client.post(f"{run.path}:pause", {"drainPolicy": "soon"}).refused(
            400, "validation_error")
        paused = host.client.post(f"{run.path}:pause", {
            "reason": "lunch", "drainPolicy": "drain-current-node", "by": "ana"})
        if paused.status == 202:
            break
    paused.expect(202)
    run.wait("paused")
    equal("nodes that started", [e["nodeId"] for e in run.events("node.started")], ["wait"])
    error = host.client.post(f"{run.path}:pause").refused(409, "conflict")
    equal("details.runStatus", error.get("details", {}).get("runStatus"), "paused")
    host.client.post(f"{run.path}:resume").expect(202)
    run.wait("completed")
    equal("events", [each["type"] for each in run.events("run.paused", "run.resumed")],
          ["run.paused", "run.resumed"])
    for policy in ("immediate", "drain-current-node"):
        other = host.run("conformance-cancellable")
        host.client.post(f"{other.path}:pause", {"drainPolicy": policy}).expect(202)
        equal("the policy", other.event("run.paused")["payload"]["policy"], policy)
        other.cancel().expect(200)


def only_what_is_paused_is_resumed(host):
    """Pausing or resuming in the wrong state is 409 conflict with the status."""
    run = host.run("conformance-cancellable")
    run.wait("running")
    error = host.client.post(f"{run.path}:resume").refused(409, "conflict")
    equal("details.runStatus", error.get("details", {}).get("runStatus"), "running")
    host.client.post(f"{run.path}:pause", {"drainPolicy": "immediate"}).expect(202)
    host.client.post(f"{run.path}/cancel", {"reason": "late", "force": True}).expect(200)
    run.wait("cancelled")
    for verb in ("pause", "resume"):
        error = host.client.post(f"{run.path}:{verb}").refused(409, "conflict")
        equal("details.runStatus", error.get("details", {}).get("runStatus"), "cancelled")


def a_run_in_the_middle_of_a_delay_survives_a_kill(host):
    """After kill -9 and a new start the run goes on and completes; its log only grew."""
    run = host.run("conformance-delay", inputs={"delayMs": 600})
    eventually("node.started", lambda: run.events("node.started"))
    before = run.events()
    host.restart()
    run.wait("completed")
    equal("the log begins as before", run.events()[:len(before)], before)
    equal("nodes that completed", len(run.events("node.completed")), 1)

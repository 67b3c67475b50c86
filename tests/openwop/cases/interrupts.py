"""Approvals and clarifications: asked, answered once, refused when wrong, cancelled, timed out."""

import concurrent.futures

from harness.check import among, ensure, equal, holds
from harness.runs import TERMINAL


def _waiting(host, workflow="conformance-approval", status="waiting-approval"):
    run = host.run(workflow)
    run.wait(status)
    return run


def an_approval_waits_at_its_gate(host):
    """The run is waiting-approval at the gate; the log tells what is asked."""
    run = _waiting(host)
    holds("snapshot", run.snapshot(), {"currentNodeId": "gate"})
    requested = run.event("interrupt.requested")["payload"]
    holds("interrupt.requested", requested, {"kind": "approval", "nodeId": "gate", "runId": run.id})
    equal("interruptId", run.event("node.suspended")["payload"]["interruptId"],
          requested["interruptId"])


def an_accepted_approval_completes(host):
    """200 with run, node and status; the node resumes with what was answered; the run completes."""
    run = _waiting(host)
    answer = run.resolve("gate", {"action": "accept"}).expect(200)
    holds("the answer", answer.json, {"runId": run.id, "nodeId": "gate"})
    ensure(isinstance(answer.json.get("status"), str), f"{answer}: expected a status")
    run.wait("completed")
    for kind in ("interrupt.resolved", "node.resumed"):
        holds(kind, run.event(kind)["payload"].get("resumeValue"), {"action": "accept"})


def a_rejected_approval_ends_the_run(host):
    """reject is an answer: the run does not wait any longer."""
    run = _waiting(host)
    run.resolve("gate", {"action": "reject"}).expect(200)
    run.wait(*TERMINAL)
    holds("interrupt.resolved", run.event("interrupt.resolved")["payload"]["resumeValue"],
          {"action": "reject"})


def other_answers_leave_the_gate_waiting(host):
    """An action that the gate does not have, or no action, is refused; nothing is appended."""
    run = _waiting(host)
    for value in ({"action": "edit-accept"}, {"action": ""}, {"action": 1}, {}, "accept", None, []):
        run.unchanged_by(lambda value=value: run.resolve("gate", value).refused(
            (400, 422), "validation_error"), f"answering {value}")
    run.wait("waiting-approval")


def the_body_is_the_resume_value_alone(host):
    """A body without resumeValue, or with further members, is refused."""
    run = _waiting(host)
    path = f"{run.path}/interrupts/gate"
    for body in ({}, {"action": "accept"}, {"resumeValue": {"action": "accept"}, "more": 1}, []):
        run.unchanged_by(lambda body=body: host.client.post(path, body).refused(
            400, "validation_error"), f"sending {body}")


def a_node_without_an_open_interrupt_is_not_found(host):
    """Another node of the run, and one that does not wait, are 404 interrupt_not_found."""
    run = _waiting(host)
    run.resolve("other", {"action": "accept"}).refused(404, "interrupt_not_found")
    done = host.done("conformance-noop")
    done.resolve("noop", {"action": "accept"}).refused(404, "interrupt_not_found")


def an_approval_is_answered_once(host):
    """A second answer is 409, or 404 since nothing is open; nothing is appended."""
    run = _waiting(host)
    run.resolve("gate", {"action": "accept"}).expect(200)
    run.wait("completed")
    run.unchanged_by(lambda: run.resolve("gate", {"action": "reject"}).refused(
        (404, 409), ("interrupt_already_resolved", "interrupt_not_found")), "a second answer")


def of_many_answers_at_once_one_wins(host):
    """Eight answers at once: one 200, the others 409 or 404, and one interrupt.resolved."""
    for _ in range(3):
        run = _waiting(host)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: run.resolve("gate", {"action": "accept"}), range(8)))
        equal("answers that won", [each.status for each in answers].count(200), 1)
        for each in answers:
            each.expect(200, 404, 409)
        run.wait("completed")
        run.event("interrupt.resolved")


def cancel_and_answer_at_once_have_one_result(host):
    """At least one of both wins; if only the cancellation did, the run is cancelled."""
    for _ in range(5):
        run = _waiting(host)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            cancelled = pool.submit(run.cancel)
            resolved = pool.submit(run.resolve, "gate", {"action": "accept"})
            cancelled, resolved = cancelled.result(), resolved.result()
        cancelled.expect(200, 202, 409)
        resolved.expect(200, 202, 400, 404, 409, 422)
        ensure(cancelled.status < 300 or resolved.status < 300,
               f"both lost: {cancelled}; {resolved}")
        run.wait("cancelled" if resolved.status >= 300 else "completed", "cancelled")


def an_answer_after_the_cancellation_is_told_so(host):
    """422 interrupt_cancelled; the cancelled run has nothing appended."""
    run = _waiting(host)
    run.cancel().expect(200)
    run.wait("cancelled")
    run.unchanged_by(lambda: run.resolve("gate", {"action": "accept"}).refused(
        422, "interrupt_cancelled"), "an answer after the cancellation")


def an_approval_that_nobody_gives_times_out(host):
    """The node fails with interrupt_timeout, and so does its run; it was never resumed."""
    run = host.run("test-approval-timeout").finish("failed")
    equal("code of the run", run.snapshot()["error"]["code"], "interrupt_timeout")
    equal("code of the node", run.event("node.failed")["payload"]["error"]["code"],
          "interrupt_timeout")
    equal("events of an answer", run.events("interrupt.resolved", "node.resumed"), [])
    equal("timeoutMs", run.event("interrupt.requested")["payload"].get("timeoutMs"), 200)


def a_clarification_takes_answers_in_both_forms(host):
    """An object by the question's id, or an array of id and answer, completes the run."""
    for answers in ({"q1": "blue"}, [{"id": "q1", "answer": "blue"}]):
        run = _waiting(host, "conformance-clarification", "waiting-input")
        holds("snapshot", run.snapshot(), {"currentNodeId": "ask"})
        holds("interrupt.requested", run.event("interrupt.requested")["payload"],
              {"kind": "clarification"})
        run.resolve("ask", {"answers": answers}).expect(200)
        run.wait("completed")


def a_clarification_wants_answers(host):
    """What is no answers is refused; the run waits on."""
    run = _waiting(host, "conformance-clarification", "waiting-input")
    for value in ({}, {"answers": "blue"}, {"answers": 1}, {"answers": [1]}, "blue",
                  {"action": "accept"}):
        run.unchanged_by(lambda value=value: run.resolve("ask", value).refused(
            400, "validation_error"), f"answering {value}")
    run.wait("waiting-input")


def a_gate_with_the_auth_profile_wants_a_key(host):
    """Without a key 401 and the gate waits; with one the run completes."""
    run = _waiting(host, "conformance-interrupt-auth-required")
    run.unchanged_by(lambda: run.resolve("gate", {"action": "accept"}, client=host.nobody).refused(
        401, "unauthenticated"), "an answer without a key")
    run.resolve("gate", {"action": "accept"}).expect(200)
    run.wait("completed")


def the_older_form_of_an_approval_may_be_there(host):
    """POST /approvals/{node} with the action is 200 and completes, or 404."""
    run = _waiting(host)
    answer = host.client.post(f"{run.path}/approvals/gate", {"action": "accept"})
    among(f"{answer}: status", answer.status, (200, 404))
    if answer.status == 200:
        run.wait("completed")


def an_open_question_survives_a_kill(host):
    """After kill -9 and a new start the gate still waits, is asked once, and takes the answer."""
    run = _waiting(host)
    before = run.events()
    host.restart()
    holds("snapshot", run.snapshot(), {"status": "waiting-approval", "currentNodeId": "gate"})
    equal("events after the restart", run.events()[:len(before)], before)
    run.event("interrupt.requested")
    run.resolve("gate", {"action": "accept"}).expect(200)
    run.wait("completed")

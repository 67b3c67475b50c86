"""All that people in a session are asked is in one inbox, by lines and by HTTP; whom the time runs
out for has timed out, and has refused nothing."""

from harness.check import ensure, equal, eventually, holds
from harness.inbox import Inbox
from harness.sessions import asked_in_time


def _scenario(mode, participants, behaviours, **more):
    collab = {"title": "Release", "purpose": "A person is asked", "mode": mode,
              "participants": [{"participant_id": each, "role_id": f"role-{each}",
                                "kind": "human" if each == "ana" else "agent"}
                               for each in participants]}
    return {"convene": "1", "collab": collab, "behaviours": behaviours, **more}


def _confirm(**ana):
    """What the writer says is ana's to approve or to reject."""
    return _scenario("round_robin", ["writer", "ana"], {
        "writer": {"type": "script", "turns": [{"content": "We had an outage."}]},
        "ana": {"type": "human", "confirms": True, **ana}}, task="Announce the outage")


def _escalation(**session):
    """Two write one version of a document, so ana chooses."""
    def writes(value, **more):
        return {"type": "script", "turns": [{"content": value, "writes": [
            {"resource_type": "doc", "resource_id": "jobs", "base_version": 1, "value": value}]}],
            **more}
    return _scenario("swarm", ["mara", "ivo", "ana"], {
        "mara": writes("a table"), "ivo": writes("a broker", latency_ms=1000),
        "ana": {"type": "human"}},
        task="Where are jobs kept?", tasks=[{"title": "A table", "role": "role-mara"},
                                            {"title": "A broker", "role": "role-ivo"}],
        workspace=[{"resource_type": "doc", "resource_id": "jobs", "value": "undecided"}],
        session={"conflicts": {"strategy": "escalation"}, **session})


def _ask(**ana):
    """The orchestrator asks ana, and is done."""
    return _scenario("orchestrated", ["lead", "ana"], {
        "lead": {"type": "script", "decisions": [
            {"ask": {"participant": "ana", "task": "May we ship it?"}},
            {"complete": {"reason": "ana was asked"}}]},
        "ana": {"type": "human", **ana}}, task="Ship it", session={"orchestrator": "lead"})


def _asked(host, scenario, wanted):
    """A session, and the question that ana is asked in it."""
    session = host.client.post("/v1/sessions", {"scenario": scenario}).expect(201).json["session_id"]
    path = f"/v1/requests?participant=ana&session={session}&wait_ms=10000"
    question = eventually("a question", lambda: host.client.get(path).json["requests"])[0]
    equal("what is wanted", question["wanted"], wanted)
    return session, question


def _asked_in_time(host, scenario, wanted):
    """Likewise, where its time is short."""
    session, question = asked_in_time(host, scenario, "ana")
    equal("what is wanted", question["wanted"], wanted)
    return session, question


def _events(host, session, kind):
    """The payloads of the session's events of this type, once it has ended."""
    eventually("the end of the session", lambda: host.client.get(
        f"/v1/sessions/{session}").json["status"] in ("completed", "cancelled"))
    page = host.client.get(f"/v1/sessions/{session}/events?limit=1000").expect(200).json
    return [each["payload"] for each in page["events"] if each["event_type"] == kind]


def _turn(host, session):
    """How ana's turn was closed."""
    return [each for each in _events(host, session, "MAPTurnCompleted")
            if each["participant_id"] == "ana"][0]


def _over(host, question, how):
    gone = host.client.post(f"/v1/requests/{question['token']}/reply", {"content": "late"})
    holds("an answer that is late", gone.expect(410).json["error"],
          {"code": "request_over", "details": {"how": how}})


def what_a_person_has_to_confirm_is_in_the_inbox(host):
    session, _ = _asked(host, _confirm(), "turn")
    inbox = Inbox(host, "--session", session)
    inbox.wait_for("ana> ")
    inbox.type("perhaps")
    inbox.wait_for("ana> ", 2)
    inbox.type("/reject not like this")
    inbox.end(0)
    turn = _turn(host, session)
    holds("her turn", turn, {"status": "failed"})
    equal("why", turn["error"]["code"], "rejected")


def what_nobody_confirms_in_time_has_timed_out(host):
    session, question = _asked_in_time(
        host, lambda factor: _confirm(timeout_ms=2000 * factor), "turn")
    turn = _turn(host, session)
    equal("how her turn ended", turn["status"], "timed_out")
    _over(host, question, "timed_out")


def a_conflict_that_is_escalated_is_in_the_inbox(host):
    session, question = _asked(host, _escalation(), "escalation")
    equal("the sides", sorted(each["participant"] for each in question["dispute"]["sides"]),
          ["ivo", "mara"])
    inbox = Inbox(host, "--session", session)
    inbox.wait_for("ana> ")
    inbox.type("/vote ivo")
    inbox.end(0)
    holds("the conflict", _events(host, session, "MAPConflictResolved")[0],
          {"resolution_strategy": "escalation", "winning_participant": "ivo",
           "votes": [{"participant_id": "ana", "for": "ivo"}]})


def an_escalation_without_an_answer_in_time_has_no_vote(host):
    session, question = _asked_in_time(
        host, lambda factor: _escalation(turn_timeout_ms=3000 * factor), "escalation")
    resolved = _events(host, session, "MAPConflictResolved")[0]
    equal("who wins", resolved["winning_participant"], "mara")
    ensure(not resolved.get("votes"), "there is a vote of nobody:", resolved)
    _over(host, question, "timed_out")


def what_an_orchestrator_asks_is_in_the_inbox(host):
    session, question = _asked(host, _ask(), "turn")
    equal("the question", question["task"], "May we ship it?")
    inbox = Inbox(host, "--session", session)
    inbox.wait_for("ana> ")
    inbox.type("Yes.")
    inbox.end(0)
    holds("her turn", _turn(host, session), {"status": "completed"})


def who_leads_and_decides_nothing_in_time_has_timed_out(host):
    def scenario(factor):
        return _scenario("orchestrated", ["ana", "coder"], {
            "ana": {"type": "human", "timeout_ms": 2000 * factor}, "coder": {"type": "echo"}},
            task="Ship it", session={"orchestrator": "ana"})
    session, question = _asked_in_time(host, scenario, "decision")
    equal("how the session ended", _events(host, session, "MAPSessionCompleted")[0]["status"],
          "cancelled")
    _over(host, question, "timed_out")


def whom_an_orchestrator_asks_in_vain_has_timed_out(host):
    session, question = _asked_in_time(
        host, lambda factor: _ask(timeout_ms=2000 * factor), "turn")
    equal("how her turn ended", _turn(host, session)["status"], "timed_out")
    _over(host, question, "timed_out")

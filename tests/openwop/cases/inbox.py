"""`convene inbox`: what people are asked, and their answers, at a terminal elsewhere."""

import json

from harness.check import ensure, equal, eventually, parse
from harness.inbox import Inbox

HOSTILE = "Say \x1b[2J it \x9b31m in one\u202e line"


def _session(host, task="Say it in one line"):
    """A session in which ana has the last word; its id, once she is asked."""
    scenario = {
        "convene": "1",
        "collab": {"title": "Review", "purpose": "A person has the last word",
                   "mode": "round_robin",
                   "participants": [
                       {"participant_id": "writer", "kind": "agent", "role_id": "writer"},
                       {"participant_id": "ana", "kind": "human", "role_id": "reviewer"}]},
        "task": task,
        "behaviours": {"writer": {"type": "echo"}, "ana": {"type": "human"}},
        "session": {"rounds": 5, "end": {"text": "APPROVED", "role": "reviewer"}}}
    made = host.client.post("/v1/sessions", {"scenario": scenario}).expect(201)
    return made.json["session_id"]


def _question(host, session):
    """The question that is open, or will be."""
    path = f"/v1/requests?session={session}&wait_ms=10000"
    return eventually("a question", lambda: host.client.get(path).json["requests"])[0]


def _completed(host, session):
    eventually("the end of the session", lambda: host.client.get(
        f"/v1/sessions/{session}").json["status"] == "completed")


def what_a_person_is_asked_is_listed_and_answered_by_lines(host):
    session = _session(host, task=HOSTILE)
    token = _question(host, session)["token"]
    listed = parse(Inbox(host, "--session", session, "--json").end(0), "inbox --json")
    equal("tokens", [each["token"] for each in listed["requests"]], [token])
    equal("the task", listed["requests"][0]["task"], HOSTILE)
    # It watches: without, it would leave if the second question took its time.
    inbox = Inbox(host, "--session", session, "--participant", "ana", "--watch")
    inbox.wait_for("ana> ")
    inbox.type("/handoff nobody")  # which the session would not take
    inbox.wait_for("ana> ", 2)
    inbox.type("It is long.")
    inbox.wait_for("is accepted")
    inbox.wait_for("ana> ", 3)
    inbox.type("/approve")
    inbox.wait_for("is accepted", 2)
    inbox.process.terminate()
    inbox.process.wait(60)
    shown = inbox.end(143)
    _completed(host, session)
    ensure("your answer is not accepted" in shown and "(rule" not in shown,
           "an answer that is wrong is not told:", shown)
    ensure(not any(each in shown for each in ("\x1b", "\x9b", "\u202e")),
           "hostile text reaches the terminal:", repr(shown))
    ensure("1 open question" in shown and "In Review (" in shown, "no list:", shown)


def a_question_that_another_answers_is_withdrawn_from_the_inbox(host):
    session = _session(host)
    token = _question(host, session)["token"]
    inbox = Inbox(host, "--session", session)
    inbox.wait_for("ana> ")
    host.client.post(f"/v1/requests/{token}/reply", {"content": "APPROVED"}).expect(200)
    inbox.wait_for("this request is over")
    inbox.end(0)


def an_inbox_that_watches_goes_on_when_the_server_is_killed(host):
    session = _session(host)
    token = _question(host, session)["token"]
    inbox = Inbox(host, "--session", session, "--watch")
    inbox.wait_for("ana> ")
    host.kill()
    inbox.type("One more.")
    inbox.wait_for("cannot be reached")
    host.start(port=host.port)
    inbox.wait_for("is accepted")
    inbox.wait_for("ana> ", 2)
    inbox.type("APPROVED")
    inbox.wait_for("is accepted", 2)
    inbox.process.terminate()
    inbox.process.wait(60)
    shown = inbox.end(143)
    _completed(host, session)
    equal("how often each question is asked", shown.count("== ana"), 2)
    again = host.client.post(f"/v1/requests/{token}/reply", {"content": "One more."})
    equal("the answer given twice", again.expect(200).json.get("duplicate"), True)


def an_answer_is_taken_from_a_file(host):
    session = _session(host)
    token = _question(host, session)["token"]
    file = host.folder / "reply.json"
    how = ["answer", token, "--file", str(file)]
    file.write_text('{"content": "APPROVED"}', encoding="utf-8")
    equal("answer", json.loads(Inbox(host, *how, "--json").end(0))["participant_id"], "ana")
    ensure("accepted before" in Inbox(host, *how).end(0), "a repeated answer is not told")
    file.write_text('{"content": "no"}', encoding="utf-8")
    ensure("request_already_answered" in Inbox(host, *how, "--verbose").end(1), "another answer is not told")
    file.write_text('{"contents": "no"}', encoding="utf-8")
    ensure("reply.json" in Inbox(host, *how).end(2), "what is no reply is not told")
    _completed(host, session)


def what_nodes_of_runs_ask_is_listed_and_answered_by_lines(host):
    """An approval, a clarification, something custom and a conversation, each by its kind."""
    approval = host.run("conformance-approval")
    approval.wait("waiting-approval")
    listed = parse(Inbox(host, "--run", approval.id, "--json").end(0), "inbox --json")
    equal("what is asked", [(each["nodeId"], each["kind"]) for each in listed["interrupts"]],
          [("gate", "approval")])
    inbox = Inbox(host, "--run", approval.id)
    inbox.wait_for("gate> ")
    inbox.type("perhaps")
    inbox.wait_for("gate> ", 2)
    inbox.type("/accept")
    ensure("accepted" in inbox.end(0), "no word of it")
    approval.finish()
    clarification = host.run("conformance-clarification")
    clarification.wait("waiting-input")
    inbox = Inbox(host, "--run", clarification.id)
    inbox.wait_for("ask> ")
    inbox.type("")
    inbox.wait_for("ask> ", 2)
    inbox.type("blue")
    inbox.end(0)
    clarification.finish()
    equal("answer", clarification.event("interrupt.resolved")["payload"]["resumeValue"],
          {"answers": {"q1": "blue"}})
    custom = host.run("test-custom-interrupt")
    custom.wait("waiting-input")
    node = custom.snapshot()["currentNodeId"]
    file = host.folder / "value.json"
    file.write_text('{"no": ', encoding="utf-8")
    ensure("value.json" in Inbox(host, "answer", f"{custom.id}/{node}", "--file", str(file)).end(2),
           "what is no JSON is not told")
    talk = host.run("test-conversation")
    talk.wait("waiting-approval")
    inbox = Inbox(host, "--run", talk.id)
    inbox.wait_for("convo> ")
    inbox.type("Which one?")
    inbox.wait_for("your turn is taken")
    inbox.wait_for("convo> ", 2)
    inbox.type("/close The blue one.")
    inbox.end(0)
    talk.finish()
    equal("turns", [each["payload"]["turn"]["content"] for each in talk.events("conversation.exchanged")],
          ["Which one?"])
    custom.cancel().expect(200)


def runs_and_sessions_are_asked_in_one_inbox(host):
    """What another answers is withdrawn; a kind alone is chosen by --kind."""
    session = _session(host)
    _question(host, session)
    run = host.run("conformance-approval")
    run.wait("waiting-approval")
    listed = parse(Inbox(host, "--json").end(0), "inbox --json")
    ensure(run.id in [each["runId"] for each in listed["interrupts"]], "the run is missing:", listed)
    ensure(session in [each["session"]["session_id"] for each in listed["requests"]],
           "the session is missing:", listed)
    only = parse(Inbox(host, "--kind", "clarification", "--json").end(0), "inbox --json")
    ensure(all(each["kind"] == "clarification" for each in only["interrupts"]), "other kinds:", only)
    equal("questions of sessions", only["requests"], [])
    host.client.get("/v1/interrupts?kind=nonsense").refused(400, "validation_error")
    one = host.client.get("/v1/interrupts?limit=1").expect(200).json
    equal("how many", (len(one["interrupts"]), one["more"]), (1, len(listed["interrupts"]) > 1))
    inbox = Inbox(host, "--run", run.id)
    inbox.wait_for("gate> ")
    run.resolve("gate", {"action": "accept"}).expect(200)
    inbox.wait_for("this request is over")
    inbox.end(0)
    host.client.post(f"/v1/sessions/{session}/cancel", {}).expect(202)


def an_answer_to_an_earlier_interrupt_is_over(host):
    """Who says which interrupt is meant does not answer the next one."""
    run = host.run("conformance-approval")
    run.wait("waiting-approval")
    path = f"{run.path}/interrupts/gate"
    host.client.post(path, {"resumeValue": {"action": "accept"}, "interruptId": "other"}).refused(
        409, "interrupt_already_resolved")
    mine = host.client.get(f"/v1/interrupts?run={run.id}").expect(200).json["interrupts"][0]
    host.client.post(path, {"resumeValue": {"action": "accept"},
                            "interruptId": mine["interruptId"]}).expect(200)
    run.finish()


def a_key_that_may_only_read_is_told_what_it_lacks(host):
    """Exit code 1, and the scope."""
    for options in ((), ("--kind", "approval")):
        shown = Inbox(host, *options, key="read").end(1)
        ensure("does not allow" in shown and "scope answer" in shown, "no word of the scope:", shown)


def a_wrong_key_is_told_and_not_shown(host):
    shown = Inbox(host, key="wrong-key-of-nobody").end(1)
    ensure("no key that is known" in shown and "of-nobody" not in shown, "no word of it:", shown)

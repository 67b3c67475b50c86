"""What is said into a running session by somebody who was not asked."""

import uuid

from harness.check import ensure, equal, eventually
from harness.client import Client

MODES = ("round_robin", "broadcast", "orchestrated")


def _create(host, mode="round_robin", session_id=None):
    """ci, a system, is asked, and says what is to be done next where it leads."""
    scenario = {"convene": "1", "collab": {
        "collab_id": session_id or str(uuid.uuid4()), "title": "Talk", "purpose": "Somebody is heard",
        "mode": mode, "participants": [
            {"participant_id": "ci", "kind": "external", "role_id": "role-orchestrator"},
            {"participant_id": "ana", "kind": "human", "role_id": "role-human"},
            {"participant_id": "bot", "kind": "agent", "role_id": "role-bot"}]},
        "task": "Say something", "session": {"rounds": 2, "initiator": "bot", "orchestrator": "ci"},
        "behaviours": {"ci": {"type": "external"}, "ana": {"type": "human"}, "bot": {"type": "echo"}}}
    return host.client.post("/v1/sessions", {"scenario": scenario}).expect(201).json["session_id"]


def _say(client, session_id, content, **more):
    return client.post(f"/v1/sessions/{session_id}/messages", {"content": content, **more})


def _asked(host, session_id, who):
    found = host.client.get(f"/v1/requests?session={session_id}&participant={who}&wait_ms=60000").expect(200).json["requests"]
    ensure(len(found) == 1, f"one request to {who}:", found)
    return found[0]


def _reply(host, asked, **reply):
    host.client.post(f"/v1/requests/{asked['token']}/reply"
                     f"?participant={asked['participant']['participant_id']}", reply).expect(200)


def _code(answer, status):
    return answer.expect(status).json["error"]["code"]


def who_is_asked_next_reads_it(host):
    """In each mode, over a kill right after the message was taken, and in the session's Dialog."""
    for mode in MODES:
        session_id = _create(host, mode)
        first = _asked(host, session_id, "ci")
        _say(host.client, session_id, "moved to Friday").expect(200)
        _say(host.client, session_id, "be brief", participant_id="ana").expect(200)
        host.restart()
        if mode == "broadcast":
            _reply(host, _asked(host, session_id, "ana"), content="hello")
            _reply(host, first, content="done")
        elif mode == "orchestrated":
            _reply(host, first, decision=[{"dispatch": {"participant": "ana", "task": "Answer"}}])
        else:
            _reply(host, first, content="done")
        shown = [(each["participant"], each["content"])
                 for each in _asked(host, session_id, "ana")["dialog"]]
        for said in (("", "moved to Friday"), ("ana", "be brief")):
            ensure(said in shown, f"{mode}: the request shows {said}:", shown)
        contents = [each["content"] for each in host.client.get(
            f"/v1/sessions/{session_id}/dialog").expect(200).json["messages"]]
        ensure("moved to Friday" in contents, f"{mode}: it is in the Dialog:", contents)
        host.client.post(f"/v1/sessions/{session_id}/cancel").expect(202)


def it_is_refused_where_nobody_reads_it(host):
    """Too large, of nobody who may speak, in a draft, and once the session has ended."""
    session_id = _create(host)
    for content, more, status, code in (
            ("", {}, 422, "message_empty"), ("x" * 65537, {}, 413, "message_bytes_max"),
            ("x", {"participant_id": "bot"}, 422, "message_sender"),
            ("x", {"participant_id": "bob"}, 422, "participant_unknown"),
            (7, {}, 400, "member_unknown"), ("x", {"to": "ana"}, 400, "member_unknown")):
        equal("code", _code(_say(host.client, session_id, content, **more), status), code)
    host.client.post(f"/v1/sessions/{session_id}/suspend").expect(202)
    _say(host.client, session_id, "while it is suspended").expect(200)
    host.client.post(f"/v1/sessions/{session_id}/cancel").expect(202)
    eventually("its end", lambda: host.client.get(f"/v1/sessions/{session_id}")
               .json["status"] == "cancelled")
    equal("code", _code(_say(host.client, session_id, "too late"), 409), "session_ended")
    inputs = [each["payload"] for each in host.client.get(
        f"/v1/sessions/{session_id}/events?limit=1000").json["events"]
        if each["payload"].get("input") == "message"]
    equal("messages on the log", inputs,
          [{"input": "message", "content": "while it is suspended"}])


def a_key_of_one_person_speaks_as_this_person(host):
    """In this session, and as nobody else."""
    session_id = str(uuid.uuid4())
    key = host.new_key("answer", "--session", session_id, "--participant", "ana")["key"]
    host.restart()
    own = Client(host, key)
    other_id = _create(host)
    _create(host, session_id=session_id)
    _say(own, session_id, "hello").expect(200)
    equal("code", _code(_say(own, session_id, "x", participant_id="ci"), 403), "forbidden")
    equal("code", _code(_say(own, other_id, "x"), 404), "session_unknown")
    _say(host.as_key("read"), session_id, "x").expect(403)
    said = [each["payload"] for each in host.client.get(
        f"/v1/sessions/{session_id}/events?limit=1000").json["events"]
        if each["payload"].get("input") == "message"]
    equal("said", said, [{"input": "message", "participant_id": "ana", "content": "hello"}])
    for each in (session_id, other_id):
        host.client.post(f"/v1/sessions/{each}/cancel").expect(202)

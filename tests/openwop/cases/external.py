"""Systems as participants of sessions: those that fetch their requests, and services that are called
and answer at once or later."""

import contextlib
import os
import pathlib
import tempfile
import threading
import time
import uuid

from harness.check import ensure, equal, eventually, holds
from harness.client import Client
from harness.host import Host
from harness.sessions import asked_in_time
from harness.service import Service, signature_of

VARIABLE, SECRET = "CONVENE_TEST_SECRET", "planted-secret"


def _scenario(behaviour, session_id=None, kind="external", **session):
    """A writer says a word, then `ci` is asked."""
    return {"convene": "1", "collab": {
        "collab_id": session_id or str(uuid.uuid4()), "title": "Build", "purpose": "A system has a say",
        "mode": "round_robin", "participants": [
            {"participant_id": "writer", "kind": "agent", "role_id": "role-writer"},
            {"participant_id": "ci", "kind": kind, "role_id": "role-ci"}]},
        "task": "Build it", "session": session,
        "behaviours": {"writer": {"type": "script", "turns": [{"content": "Built."}]},
                       "ci": behaviour}}


def _create(host, scenario):
    return host.client.post("/v1/sessions", {"scenario": scenario}).expect(201).json["session_id"]


def _request(client, session_id):
    found = client.get(f"/v1/requests?session={session_id}&wait_ms=60000")
    requests = found.expect(200).json["requests"]
    ensure(len(requests) == 1, f"{found}: expected one request")
    return requests[0]


def _ended(host, session_id):
    return eventually(f"the end of session {session_id}", lambda: [
        each for each in [host.client.get(f"/v1/sessions/{session_id}").json]
        if each["status"] in ("completed", "cancelled")])[0]


def _events(host, session_id, kind):
    """Payloads of the events of this type, of `ci`."""
    events = host.client.get(f"/v1/sessions/{session_id}/events?limit=1000").expect(200).json["events"]
    return [each["payload"] for each in events
            if each["event_type"] == kind and each["payload"]["participant_id"] == "ci"]


def _turns(host, session_id):
    return _events(host, session_id, "MAPTurnCompleted")


@contextlib.contextmanager
def _host_for(host, service):
    """A server that may call the service, and knows by which URL it is reached."""
    os.environ[VARIABLE] = SECRET
    with tempfile.TemporaryDirectory() as folder:
        made = Host(host.program, pathlib.Path(folder) / "host", host.workflows,
                    ["--allow", f"net=127.0.0.1:{service.port}", "--allow", f"env={VARIABLE}",
                     "--public-url", "https://callbacks.example"])
        try:
            made.start()
            yield made
        finally:
            made.kill()


def _called(service, **more):
    return {"type": "http", "url": service.url, "secret_env": VARIABLE, **more}


def a_system_fetches_its_request_and_posts_a_whole_reply(host):
    """Over a kill, under the same token; a reply that is none is refused, and the request stays."""
    session_id = _create(host, _scenario({"type": "external"}))
    asked = _request(host.client, session_id)
    host.restart()
    equal("the request", _request(host.client, session_id), asked)
    path = f"/v1/requests/{asked['token']}/reply"
    error = host.client.post(path, {"vote": {"conflict_id": "c", "for": "writer"}}).expect(422).json
    equal("code", error["error"]["code"], "reply_invalid")
    reply = {"content": "green", "result": {"passed": 7}, "usage": {"prompt_tokens": 3},
             "writes": [{"resource_type": "ci", "resource_id": "build", "base_version": 0, "op": "put",
                         "value": "ok"}]}
    host.client.post(path, reply).expect(200)
    ensure(host.client.post(path, reply).expect(200).json.get("duplicate") is True,
           "the same reply again is a duplicate")
    equal("status", _ended(host, session_id)["status"], "completed")
    holds("the reply on the log", _turns(host, session_id)[0]["reply"],
          {"content": "green", "result": {"passed": 7}})
    resources = host.client.get(f"/v1/sessions/{session_id}/workspace").expect(200).json["resources"]
    ensure(any(each["resource_id"] == "build" and each["value"] == "ok" for each in resources),
           "the write is in the workspace:", resources)


def a_key_of_one_system_sees_its_requests_alone(host):
    """Neither another session's nor another participant's."""
    session_id, other_id = str(uuid.uuid4()), str(uuid.uuid4())
    key = host.new_key("answer", "--session", session_id, "--participant", "ci")["key"]
    host.restart()
    for each in (session_id, other_id):
        _create(host, _scenario({"type": "external"}, each))
    foreign = _request(host.client, other_id)
    own = Client(host, key)
    asked = _request(own, session_id)
    equal("its requests", [each["token"] for each in own.get("/v1/requests").json["requests"]],
          [asked["token"]])
    own.post(f"/v1/requests/{foreign['token']}/reply", {"content": "not mine"}).expect(404)
    own.post(f"/v1/requests/{asked['token']}/reply", {"content": "mine"}).expect(200)
    host.client.post(f"/v1/requests/{foreign['token']}/reply", {}).expect(200)


def a_system_that_does_not_reply_has_timed_out(host):
    session_id, asked = asked_in_time(host, lambda factor: _scenario(
        {"type": "external", "timeout_ms": 300 * factor}))
    _ended(host, session_id)
    equal("its turns", [each["status"] for each in _turns(host, session_id)], ["timed_out"])
    error = host.client.post(f"/v1/requests/{asked['token']}/reply", {}).expect(410).json["error"]
    holds("the late reply", error, {"code": "request_over", "details": {"how": "timed_out"}})


def a_service_gets_signed_requests_with_one_key(host):
    """Also when it is asked again; the secret is nowhere in what the session leaves."""
    answers = [(503, {}), (200, {"content": "pong"})]
    with Service(lambda call: answers.pop(0)) as service, _host_for(host, service) as called:
        session_id = _create(called, _scenario(_called(service), kind="agent"))
        calls = [service.next(), service.next()]
        for call in calls:
            equal("signature", call["headers"].get("x-convene-signature"),
                  signature_of(SECRET, call))
            ensure(abs(int(call["headers"]["x-convene-timestamp"]) - time.time()) < 300,
                   "the timestamp is the time:", call["headers"])
        equal("keys", len({call["headers"]["idempotency-key"] for call in calls}), 1)
        equal("status", _ended(called, session_id)["status"], "completed")
        for part in ("events?limit=1000", "documents/scenario"):
            ensure(SECRET.encode() not in
                   called.client.get(f"/v1/sessions/{session_id}/{part}").expect(200).body,
                   "no secret in", part)


def a_service_that_answers_202_replies_later(host):
    """By the URL in its request, over a kill of the server; it is not called again."""
    with Service(lambda call: (202, None)) as service, _host_for(host, service) as called:
        session_id = _create(called, _scenario(_called(service)))
        call = service.next()
        asked = _request(called.client, session_id)
        equal("token", asked["token"], call["json"]["token"])
        url = call["json"]["reply_url"]
        ensure(url.startswith("https://callbacks.example/v1/requests/"), "where to reply:", url)
        eventually("the call's end is on the log",
                   lambda: _events(called, session_id, "action_ended"))
        called.restart()
        _request(called.client, session_id)
        path = url.removeprefix("https://callbacks.example")
        called.client.post(path, {"content": "done"}, {"Host": "callbacks.example"}).expect(200)
        equal("status", _ended(called, session_id)["status"], "completed")
        equal("its reply", _turns(called, session_id)[0]["reply"]["content"], "done")
        ensure(service.calls.empty(), "the service was called once")


def a_reply_may_come_before_the_202(host):
    """The callback is taken while the call that led to it has not been answered."""
    replied = threading.Event()

    def wait(_):
        replied.wait(120)
        return 202, None

    with Service(wait) as service, _host_for(host, service) as called:
        session_id = _create(called, _scenario(_called(service)))
        token = service.next()["json"]["token"]
        equal("listed", called.client.get("/v1/requests").json["requests"], [])
        called.client.post(f"/v1/requests/{token}/reply", {"content": "early"}).expect(200)
        replied.set()
        equal("status", _ended(called, session_id)["status"], "completed")
        equal("its reply", _turns(called, session_id)[0]["reply"]["content"], "early")

"""Sessions that are created and started later."""

import threading
import uuid

from harness.check import ensure, equal, eventually, holds


def _scenario(**more):
    return {"convene": "1", "collab": {
        "title": "Later", "purpose": "Starts when it is told to", "mode": "round_robin",
        "participants": [{"participant_id": "a", "kind": "agent", "role_id": "role-a"}], **more},
        "behaviours": {"*": {"type": "echo"}}}


def _draft(host, scenario=None):
    made = host.client.post("/v1/sessions", {"scenario": scenario or _scenario(), "start": False})
    holds("created", made.expect(201).json, {"status": "draft"})
    return "/v1/sessions/" + made.json["session_id"]


def _code(answer, status):
    return answer.expect(status).json["error"]["code"]


def it_waits_over_a_kill_and_starts_when_it_is_resumed(host):
    """It is listed as a draft without events; its start is durable when it is told."""
    path = _draft(host)
    for _ in range(2):
        holds("the draft", host.client.get(path).expect(200).json,
              {"status": "draft", "title": "Later", "events": 0, "started_at": None})
        ensure(path.endswith(host.client.get("/v1/sessions?status=draft").expect(200)
                             .json["sessions"][-1]["session_id"]), "it is listed as a draft")
        equal("title", host.client.get(f"{path}/documents/scenario").expect(200)
              .json["collab"]["title"], "Later")
        for part in ("workspace", "dialog", "documents/result"):
            equal(part, _code(host.client.get(f"{path}/{part}"), 409), "session_not_started")
        for verb in ("suspend", "stop"):
            equal(verb, _code(host.client.post(f"{path}/{verb}"), 409), "session_not_started")
        equal("events", host.client.get(f"{path}/events").expect(200).json,
              {"events": [], "next": 0, "ended": False})
        host.restart()
    host.client.post(f"{path}/resume").expect(202)
    host.restart()
    eventually("its end", lambda: host.client.get(path).json["status"] == "completed")
    first = host.client.get(f"{path}/events").expect(200).json["events"][0]
    ensure(path.endswith(first["session_id"]), "it kept its id:", first)
    equal("drafts", [each for each in host.client.get("/v1/sessions?status=draft").json["sessions"]
                     if path.endswith(each["session_id"])], [])


def a_reader_gets_its_first_event_once_it_starts(host):
    path = _draft(host)
    got = []
    waits = threading.Thread(target=lambda: got.append(
        host.client.get(f"{path}/events?wait_ms=60000")))
    waits.start()
    host.client.post(f"{path}/resume").expect(202)
    waits.join()
    equal("type", got[0].expect(200).json["events"][0]["event_type"], "MAPSessionStarted")


def cancelling_drops_it(host):
    """It is gone, also after a restart, and who waits for its events is told."""
    path = _draft(host)
    got = []
    waits = threading.Thread(target=lambda: got.append(
        host.client.get(f"{path}/events?wait_ms=60000")))
    waits.start()
    host.client.post(f"{path}/cancel").expect(202)
    waits.join()
    ensure(got[0].status == 404 or got[0].json["ended"], f"{got[0]}: no event will come")
    for _ in range(2):
        equal("it is gone", _code(host.client.get(path), 404), "session_unknown")
        equal("it is gone", _code(host.client.post(f"{path}/resume"), 404), "session_unknown")
        host.restart()


def what_cannot_be_started_is_refused_at_once(host):
    """By its scenario, by what it may reach, by an id that is taken, also by a draft."""
    session_id = str(uuid.uuid4())
    _draft(host, _scenario(collab_id=session_id))
    for start in (True, False):
        equal("taken", _code(host.client.post("/v1/sessions", {
            "scenario": _scenario(collab_id=session_id), "start": start}), 409), "session_exists")
    for wrong in ({"convene": "1"},
                  {**_scenario(), "behaviours": {"*": {"type": "process", "command": ["sh"]}}}):
        equal("code", _code(host.client.post("/v1/sessions", {"scenario": wrong, "start": False}),
                            422), "scenario_invalid")
    equal("start", _code(host.client.post("/v1/sessions", {
        "scenario": _scenario(), "start": "later"}), 400), "start_invalid")

"""Idempotency-Key: the same request is carried out once and answered again."""

import concurrent.futures
import itertools

from harness.check import ensure, equal
from harness.runs import Run, Talk, turns_of

REPLAY = "openwop-idempotent-replay"
BODY = {"workflowId": "conformance-idempotent", "inputs": {"nonce": "n-1"}}
_numbers = itertools.count()


def _key():
    return {"Idempotency-Key": f"key-{next(_numbers)}"}


def _start(host, headers, body=None):
    return host.client.post("/v1/runs", body or BODY, headers)


def the_same_request_is_answered_again(host):
    """Same key and body: the same status and body, marked as a replay; the first is not marked."""
    key = _key()
    first = _start(host, key).expect(201)
    ensure(first.headers.get(REPLAY, "false") == "false", f"{first}: marked as a replay")
    for _ in range(5):
        again = _start(host, key).expect(201)
        equal("the answer again", again.json, first.json)
        equal(f"header {REPLAY}", again.headers.get(REPLAY), "true")
    Run(host.client, first.json["runId"]).wait("completed")


def another_body_under_the_key_is_refused(host):
    """The same key with something else is 409, and starts nothing."""
    key = _key()
    _start(host, key).expect(201)
    _start(host, key, {**BODY, "inputs": {"nonce": "n-2"}}).refused(409, "idempotency_key_mismatch")


def requests_without_a_key_are_each_their_own(host):
    """The same body twice without a key is two runs; so is a GET with one, which is just read."""
    one, other = (_start(host, None).expect(201).json["runId"] for _ in range(2))
    ensure(one != other, f"two requests without a key got one run: {one}")
    key = _key()
    for _ in range(2):
        answer = host.client.get(f"/v1/runs/{one}", key).expect(200)
        ensure(answer.headers.get(REPLAY) != "true", f"{answer}: a GET is marked as a replay")


def of_many_at_once_one_is_carried_out(host):
    """Ten at once with one key: one run; who comes too early is told idempotency_in_flight."""
    for _ in range(3):
        key = _key()
        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(lambda _, key=key: _start(host, key), range(10)))
        runs = set()
        for each in answers:
            if each.expect(201, 409).status == 201:
                runs.add(each.json["runId"])
            else:
                error = each.refused(409, "idempotency_in_flight")
                retry = error.get("details", {}).get("retryAfter", 0)
                ensure(isinstance(retry, (int, float)) and retry > 0,
                       f"{each}: details.retryAfter is above 0")
        equal("different runs", len(runs), 1)
        unmarked = [each for each in answers
                    if each.status == 201 and each.headers.get(REPLAY) != "true"]
        equal("answers that are no replay", len(unmarked), 1)


def ten_keys_are_ten_runs(host):
    """Different keys with the same body, at once, are different runs."""
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: _start(host, _key()).expect(201), range(10)))
    equal("different runs", len({each.json["runId"] for each in answers}), 10)
    for each in answers:
        ensure(each.headers.get(REPLAY) != "true", f"{each}: a first answer is marked as a replay")


def a_key_is_of_one_endpoint(host):
    """The same key for a start, a fork and answers in two runs is four requests."""
    key = _key()
    source = Run(host.client, _start(host, key).expect(201).json["runId"]).finish()
    answer = host.client.post(f"{source.path}:fork", {"mode": "replay"}, key).expect(201)
    ensure(answer.headers.get(REPLAY) != "true", f"{answer}: a first answer is marked as a replay")
    for _ in range(2):
        run = host.run("conformance-approval")
        run.wait("waiting-approval")
        answer = run.resolve("gate", {"action": "accept"}, headers=key).expect(200)
        ensure(answer.headers.get(REPLAY) != "true", f"{answer}: marked as a replay")
        run.wait("completed")


def what_was_refused_is_not_kept(host):
    """After 400 or 403 under a key, the right request under it is carried out."""
    key = _key()
    _start(host, key, {"workflowId": 1}).refused(400, "validation_error")
    host.as_key("runs:read").post("/v1/runs", BODY, key).refused(403, "forbidden")
    host.nobody.post("/v1/runs", BODY, key).refused(401, "unauthenticated")
    answer = _start(host, key).expect(201)
    ensure(answer.headers.get(REPLAY) != "true", f"{answer}: marked as a replay")


def a_fork_is_made_once(host):
    """The same fork under one key is one run."""
    source, key = host.done("conformance-noop"), _key()
    one, other = (host.client.post(f"{source.path}:fork", {"mode": "replay"}, key).expect(201)
                  for _ in range(2))
    equal("the answer again", other.json, one.json)
    equal(f"header {REPLAY}", other.headers.get(REPLAY), "true")


def a_turn_is_taken_once(host):
    """An exchange that is sent again under its key has the first answer again."""
    talk, key = Talk(host.run("test-conversation")), _key()
    turn = talk.turn("One.")
    first, again = (talk.offer(turn, headers=key).expect(200) for _ in range(2))
    equal("the answer again", again.json, first.json)
    equal(f"header {REPLAY}", again.headers.get(REPLAY), "true")
    equal("turns", len(turns_of(talk.run)), 2)
    talk.offer({**turn, "content": "Other."}, headers=key).refused(409, "idempotency_key_mismatch")


def a_turn_that_was_refused_can_be_sent_right(host):
    """400 for a turn is not kept under its key."""
    talk, key = Talk(host.run("test-conversation")), _key()
    talk.offer({**talk.turn("One."), "turnIndex": 7}, headers=key).refused(400, "validation_error")
    talk.offer(talk.turn("One."), headers=key).expect(200)


def a_close_is_carried_out_once(host):
    """Sent again under its key after the run has ended, a close has its answer again."""
    talk, key = Talk(host.run("test-conversation")), _key()
    value = {"operation": "close", "outcome": "done"}
    first = talk.resolve(value, headers=key).expect(200)
    talk.run.wait("completed")
    again = talk.run.unchanged_by(lambda: talk.resolve(value, headers=key), "a repeated close")
    equal("the answer again", again.expect(200).json, first.json)


def a_key_has_at_most_255_characters(host):
    """255 are taken, 256 are 400."""
    tail = f"{next(_numbers):04}"
    _start(host, {"Idempotency-Key": "k" * 251 + tail}).expect(201)
    _start(host, {"Idempotency-Key": "k" * 252 + tail}).refused(400, "validation_error")


def a_session_is_found_again_after_a_kill(host):
    """The same key and body answer the same session; another body makes another one."""
    key = _key()
    scenario = {"convene": "1", "collab": {
        "title": "Two", "purpose": "Talk", "mode": "round_robin",
        "participants": [{"participant_id": "ada", "kind": "agent", "role_id": "role-a"},
                         {"participant_id": "ben", "kind": "human", "role_id": "role-b"}]},
        "behaviours": {"ada": {"type": "echo"}, "ben": {"type": "human"}}}
    body = {"scenario": scenario}
    first = host.client.post("/v1/sessions", body, key).expect(201).json["session_id"]
    host.restart()
    again = host.client.post("/v1/sessions", body, key).expect(201)
    equal("the session", again.json["session_id"], first)
    equal(f"header {REPLAY}", again.headers.get(REPLAY), "true")
    for others in ({"Idempotency-Key": "another"}, None):
        made = host.client.post("/v1/sessions", body, others).expect(201).json["session_id"]
        ensure(made != first, "another key, or none, makes another session:", made)
    of_other = host.as_key("other").post("/v1/sessions", body, key).expect(201)
    ensure(of_other.json["session_id"] != first, "another caller has keys of their own:", first)


def a_start_is_repeated_over_a_kill(host):
    """After a kill the same request gets the run that it began, another body is refused."""
    key = _key()
    first = _start(host, key).expect(201)
    run = Run(host.client, first.json["runId"]).finish()
    host.restart()
    for _ in range(3):
        again = _start(host, key).expect(201)
        equal("the run again", again.json["runId"], run.id)
        equal("its status", again.json["status"], "completed")
        equal(f"how often {REPLAY} is there", again.headers.get(REPLAY), "true")
    host.restart()
    _start(host, key, {**BODY, "inputs": {"nonce": "n-2"}}).refused(409, "idempotency_key_mismatch")
    other = host.as_key("other").post("/v1/runs", BODY, key).expect(201)
    ensure(other.json["runId"] != run.id, "another caller's key is not this one")
    ensure(_start(host, _key()).expect(201).json["runId"] != run.id, "another key begins another run")

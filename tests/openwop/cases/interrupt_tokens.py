"""Tokens of interrupts: who gets them, what they let their bearer do, and until when."""

import base64
import json

from harness.check import ensure, equal, eventually, holds
from harness.events import milliseconds
from harness.runs import Talk, turns_of

MINUTES_30 = 30 * 60 * 1000


def _interrupt(run):
    return run.snapshot()["interrupt"]


def _waiting(host, workflow="conformance-approval", status="waiting-approval"):
    run = host.run(workflow)
    run.wait(status)
    return run, _interrupt(run)["interruptToken"]


def _post(host, token, value, **how):
    return host.nobody.post(f"/v1/interrupts/{token}", {"resumeValue": value}, **how)


def _inspect(host, token):
    return host.nobody.get(f"/v1/interrupts/{token}")


def _payload(token):
    text = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def a_token_is_made_for_who_may_answer(host):
    """The snapshot has it for keys of approvals:respond; the log and other keys have none."""
    run, _ = _waiting(host)
    made = _interrupt(run)
    token = made["interruptToken"]
    holds("interrupt", made, {"nodeId": "gate", "kind": "approval",
                              "callbackUrl": f"/v1/interrupts/{token}"})
    holds("payload", _payload(token), {"runId": run.id, "nodeId": "gate", "intent": "resolve",
                                       "interruptId": made["interruptId"],
                                       "expiresAt": made["expiresAt"]})
    seen = host.as_key("runs:read").get(run.path).expect(200).json
    ensure("interrupt" not in seen and "interruptToken" not in json.dumps(seen),
           "a key that may only read is shown a token:", seen)
    ensure(token.split(".")[1] not in json.dumps(run.events()), "the log has the token")
    run.cancel().expect(200)


def a_token_answers_without_a_key(host):
    """GET tells what is asked, POST answers it; the run goes on, and tells that a token did."""
    run, token = _waiting(host)
    asked = run.event("interrupt.requested")["payload"]
    answer = _inspect(host, token).expect(200)
    holds("what is asked", answer.json, {each: asked[each] for each in
                                         ("kind", "key", "data", "requestedAt")})
    ensure(milliseconds(answer.json["expiresAt"]) - milliseconds(asked["requestedAt"])
           >= MINUTES_30, "a token counts for 30 minutes:", answer.json)
    equal("Cache-Control", answer.headers.get("cache-control"), "no-store")
    run.unchanged_by(lambda: _post(host, token, {"action": "other"}).refused(
        400, "validation_error"), "a wrong answer")
    holds("the answer", _post(host, token, {"action": "accept"}).expect(200).json,
          {"runId": run.id, "nodeId": "gate"})
    run.wait("completed")
    equal("resolvedBy", run.event("interrupt.resolved")["payload"]["resolvedBy"], "token")


def a_token_answers_once(host):
    """Once it is answered, by it or by a key, or the run was cancelled, it is 409."""
    for end in (lambda run, token: _post(host, token, {"action": "accept"}).expect(200),
                lambda run, _: run.resolve("gate", {"action": "accept"}).expect(200),
                lambda run, _: run.cancel().expect(200)):
        run, token = _waiting(host)
        end(run, token)
        run.wait("completed", "cancelled")
        _inspect(host, token).refused(409, "interrupt_already_resolved")
        run.unchanged_by(lambda token=token: _post(host, token, {"action": "accept"}).refused(
            409, "interrupt_already_resolved"), "a second answer")
        ensure("interrupts" not in run.snapshot(), "nothing is open:", run.snapshot())


def a_token_ends_with_its_interrupt(host):
    """Its time is that of the interrupt, if that is shorter: then it is 410."""
    for run in host.longer_and_longer("test-approval-timeout"):
        made = run.snapshot().get("interrupt")
        if made:
            break
    equal("expiresAt", made["expiresAt"], made["deadline"])
    run.wait("failed")
    _inspect(host, made["interruptToken"]).refused(410, "interrupt_expired")
    _post(host, made["interruptToken"], {"action": "accept"}).refused(410, "interrupt_expired")


def what_is_no_token_is_not_found(host):
    """Made-up, changed and cut tokens are 404, and so is one that names another node."""
    run, token = _waiting(host)
    text, mac = token.split(".")
    other = json.dumps({**_payload(token), "expiresAt": "2100-01-01T00:00:00.000Z"})
    forged = base64.urlsafe_b64encode(other.encode()).decode().rstrip("=")
    for wrong in ("x", "tok_abc", text, f"{text}.", f".{mac}", f"{text}.{mac[:-1]}",
                  f"{text}.{mac}A", f"{forged}.{mac}", f"{mac}.{text}", "a" * 3000):
        _inspect(host, wrong).refused(404, "interrupt_not_found")
        run.unchanged_by(lambda wrong=wrong: _post(host, wrong, {"action": "accept"}).refused(
            404, "interrupt_not_found"), f"the token {wrong}")
    run.cancel().expect(200)


def a_token_of_an_earlier_attempt_is_over(host):
    """When a conversation timed out and its node asks again, its token does not answer that."""
    for run in host.longer_and_longer("test-conversation-retry"):
        first, again = run.snapshot().get("interrupt"), None
        while first and not again and not run.is_late():
            again = next((each for each in run.snapshot().get("interrupts", ())
                          if each["interruptId"] != first["interruptId"]), None)
        if again:
            break
    ensure(again["interruptToken"] != first["interruptToken"], "attempts have one token")
    for answer in (_inspect(host, first["interruptToken"]),
                   _post(host, first["interruptToken"], {"operation": "close"})):
        answer.refused((409, 410), ("interrupt_already_resolved", "interrupt_expired"))
    run.cancel().expect(200)


def a_token_holds_a_conversation(host):
    """It shows the turns, takes one after the other, and closes it."""
    talk = Talk(host.run("test-conversation"))
    token = _interrupt(talk.run)["interruptToken"]
    for content in ("One.", "Two."):
        _post(host, token, {"operation": "exchange", "turn": talk.turn(content)}).expect(200)
        talk.index += 1
    equal("turns", _inspect(host, token).expect(200).json["turns"], turns_of(talk.run))
    _post(host, token, {"operation": "close", "outcome": 7}).expect(200)
    talk.run.wait("completed")
    _inspect(host, token).refused(409, "interrupt_already_resolved")


def a_token_counts_after_a_restart(host):
    """A killed server knows the tokens that it gave out."""
    run, token = _waiting(host, "test-external-event", "waiting-external")
    host.restart()
    _inspect(host, token).expect(200)
    _post(host, token, {"orderId": "order-1"}).expect(200)
    run.wait("completed")


def only_keys_answer_where_a_key_is_required(host):
    """The profile auth-required has no tokens; replays, which ask nobody, have none either."""
    run = host.run("conformance-interrupt-auth-required")
    run.wait("waiting-approval")
    ensure("interruptToken" not in json.dumps(run.snapshot()), "a token:", run.snapshot())
    replay = run.forked("replay")
    ensure("interrupts" not in replay.snapshot(), "open interrupts:", replay.snapshot())
    for each in (run, replay):
        each.cancel().expect(200)

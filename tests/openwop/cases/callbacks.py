"""`callbackUrl`: who starts a run is called once it has ended."""

import contextlib
import pathlib
import queue
import tempfile

from harness.check import Failed, ensure, equal, eventually, holds
from harness.host import Host
from harness.service import Service, signature_of

SECRET = "0123456789abcdef"


@contextlib.contextmanager
def _host(host, *options):
    """A server of its own, and its folder of calls that are owed."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        secret = folder / "secret"
        secret.write_text(SECRET + "\n", encoding="utf-8")
        secret.chmod(0o600)
        made = Host(host.program, folder / "host", host.workflows,
                    ["--callback-secret", secret, *options])
        try:
            made.start()
            yield made
        finally:
            made.kill()


def _owed(host):
    return sorted(each.stem for each in (host.folder / "data" / "callbacks").glob("*.json"))


def _start(host, url, workflow="conformance-approval", **more):
    body = {"workflowId": workflow, "callbackUrl": url, **more}
    return host.client.post("/v1/runs", body).expect(201).json["runId"]


def _accept(host, run):
    host.client.post(f"/v1/runs/{run}/interrupts/gate",
                     {"resumeValue": {"action": "accept"}}).expect(200)


def _nothing_more(service):
    with contextlib.suppress(queue.Empty):
        raise Failed("a call too many: " + repr(service.calls.get(timeout=1.5)))


def the_end_of_a_run_is_told_once_and_signed(host):
    with Service(lambda _: (204, None)) as service, _host(host, "--allow", "net=127.0.0.1") as own:
        run = _start(own, service.url)
        equal("what is owed", _owed(own), [run])
        ensure(service.calls.empty(), "a run that waits is told of")
        _accept(own, run)
        call = service.next()
        events = own.client.get(f"/v1/runs/{run}/events",
                                {"Accept": "application/json"}).json["events"]
        equal("the call", call["json"], {
            "runId": run, "workflowId": "conformance-approval", "status": "completed",
            "statusUrl": f"/v1/runs/{run}", "eventsUrl": f"/v1/runs/{run}/events",
            "event": events[-1]})
        holds("its headers", call["headers"], {
            "content-type": "application/json", "idempotency-key": events[-1]["eventId"],
            "x-convene-signature": signature_of(SECRET, call)})
        eventually("nothing is owed any more", lambda: not _owed(own))
        own.restart()
        _nothing_more(service)


def a_call_that_fails_is_made_again_with_the_same_key(host):
    answers = [(503, None), (200, {"ok": True})]
    with Service(lambda _: answers.pop(0)) as service, \
            _host(host, "--allow", f"net=127.0.0.1:{service.port}") as own:
        run = _start(own, service.url, "conformance-failure")
        first, second = service.next(), service.next()
        equal("the status", first["json"]["status"], "failed")
        equal("the body of both", second["body"].decode(), first["body"].decode())
        equal("the key of both", second["headers"]["idempotency-key"],
              first["headers"]["idempotency-key"])
        eventually(f"nothing is owed for {run}", lambda: not _owed(own))


def what_is_owed_is_told_after_a_kill(host):
    """A run that goes on over the kill, and one that had ended before it."""
    answers = []
    with Service(lambda _: (answers or [(503, None)])[0]) as service, \
            _host(host, "--allow", "net=127.0.0.1") as own:
        ended = _start(own, service.url, "conformance-noop")
        waits = _start(own, service.url)
        equal("who is told first", service.next()["json"]["runId"], ended)
        own.kill()
        answers.append((200, None))
        own.start()
        _accept(own, waits)
        told = set()
        while told != {ended, waits}:
            told.add(service.next()["json"]["runId"])
        eventually("nothing is owed any more", lambda: not _owed(own))


def a_refusal_is_final(host):
    with Service(lambda _: (410, None)) as service, _host(host, "--allow", "net=127.0.0.1") as own:
        _start(own, service.url, "conformance-noop")
        service.next()
        eventually("nothing is owed any more", lambda: not _owed(own))
        _nothing_more(service)


def a_host_that_the_server_may_not_reach_is_refused(host):
    with Service(lambda _: (200, None)) as service, \
            _host(host, "--allow", "net=elsewhere.example") as own:
        def refused(url, rule):
            error = own.client.post("/v1/runs", {"workflowId": "conformance-noop",
                                                 "callbackUrl": url}).refused(
                                                     400, "validation_error")
            holds(f"the refusal of {url}", error["details"], {"rule": rule, "path": "/callbackUrl"})
            return error["message"]

        said = refused(service.url, "permission_needed")
        ensure(f"--allow net=127.0.0.1:{service.port}" in said, "the flag is not named:", said)
        for url in ("", "nowhere", "/v1/runs", "http://me:secret@elsewhere.example/"):
            refused(url, "url_invalid")
        refused("file:///etc/passwd", "scheme_refused")
        refused("https://elsewhere.example/" + "x" * 2048, "callback_url_bytes_max")
        refused(7, "type")
        equal("what is owed", _owed(own), [])
        _nothing_more(service)


def a_start_that_is_refused_owes_nothing(host):
    with Service(lambda _: (200, None)) as service, _host(host, "--allow", "net=127.0.0.1") as own:
        own.client.post("/v1/runs", {
            "workflowId": "conformance-configurable-schema", "callbackUrl": service.url,
            "configurable": {"recursionLimit": "many"}}).refused(400, "validation_error")
        eventually("nothing is owed", lambda: not _owed(own))
        _nothing_more(service)


def a_repeated_start_is_told_once(host):
    with Service(lambda _: (200, None)) as service, _host(host, "--allow", "net=127.0.0.1") as own:
        body = {"workflowId": "conformance-approval", "callbackUrl": service.url}
        how = {"Idempotency-Key": "once"}
        run = own.client.post("/v1/runs", body, how).expect(201).json["runId"]
        own.restart()
        equal("the same run", own.client.post("/v1/runs", body, how).expect(201).json["runId"], run)
        _accept(own, run)
        equal("who is told of", service.next()["json"]["runId"], run)
        _nothing_more(service)


def another_url_under_the_key_is_refused(host):
    """Also with none, after the call was made and over a restart; and with one after none."""
    with Service(lambda _: (200, None)) as service, _host(host, "--allow", "net=127.0.0.1") as own:
        def start(key, url):
            body = {"workflowId": "conformance-noop"} | ({"callbackUrl": url} if url else {})
            return own.client.post("/v1/runs", body, {"Idempotency-Key": key})

        told = start("told", service.url).expect(201).json["runId"]
        silent = start("silent", None).expect(201).json["runId"]
        equal("who is told of", service.next()["json"]["runId"], told)
        eventually("nothing is owed any more", lambda: not _owed(own))
        for _ in range(2):
            for key, url in (("told", service.url + "/elsewhere"), ("told", None),
                             ("silent", service.url)):
                start(key, url).refused(409, "idempotency_key_mismatch")
            for key, url, run in (("told", service.url, told), ("silent", None, silent)):
                again = start(key, url).expect(201)
                equal("the run", again.json["runId"], run)
                holds("the headers", again.headers, {"openwop-idempotent-replay": "true"})
            own.restart()
        _nothing_more(service)


def a_fork_tells_nobody(host):
    """A replay of a run that told somebody is as recorded, without a word of that."""
    with Service(lambda _: (200, None)) as service, _host(host, "--allow", "net=127.0.0.1") as own:
        run = own.client.post("/v1/runs", {"workflowId": "conformance-noop",
                                           "callbackUrl": service.url},
                              {"Idempotency-Key": "once"}).expect(201).json["runId"]
        service.next()

        def log_of(which):
            return own.client.get(f"/v1/runs/{which}/events",
                                  {"Accept": "application/json"}).json["events"]

        first = log_of(run)[0]["payload"]
        ensure("callbackDigest" in first, "the log does not know of the URL:", first)
        ensure(service.url not in str(first), "the log has the URL:", first)
        for how in ({"mode": "replay"}, {"mode": "branch", "fromSeq": 0}):
            fork = own.client.post(f"/v1/runs/{run}:fork", how).expect(201).json["runId"]
            log = log_of(fork)
            ensure("callbackDigest" not in log[0]["payload"], "the fork has one:", log[0])
            equal("its events", [each["type"] for each in log],
                  [each["type"] for each in log_of(run)])
        _nothing_more(service)

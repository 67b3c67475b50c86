"""One active run of a tenant and scope (X-Dedup), and a header for test keys alone."""

from concurrent.futures import ThreadPoolExecutor

from harness.check import ensure, equal, holds
from harness.runs import Run

ENFORCED = {"X-Dedup": "enforce"}


def _start(host, scope, headers=None, **body):
    return host.client.post("/v1/runs", {"workflowId": "conformance-approval", "scopeId": scope,
                                         **body}, headers)


def _run(host, answer):
    return Run(host.client, answer.expect(201).json["runId"])


def a_second_active_run_of_a_scope_is_refused(host):
    """409 with the run that is active, also over a kill; once that has ended, another may start."""
    first = _run(host, _start(host, "one", ENFORCED))
    for restart in (False, True):
        if restart:
            host.restart()
        answer = _start(host, "one", ENFORCED)
        holds("the error", answer.refused(409, "run_already_active")["details"],
              {"activeRunId": first.id, "activeHost": f"127.0.0.1:{host.port}", "retryAfter": 5})
        equal("Retry-After", answer.headers.get("retry-after"), "5")
    first.cancel().expect(200)
    _run(host, _start(host, "one", ENFORCED)).cancel().expect(200)


def other_scopes_and_tenants_do_not_count(host):
    """Only the pair of tenant and scope is compared; a run counts, however it was started."""
    runs = [_run(host, _start(host, "two", tenantId="t"))]
    _start(host, "two", ENFORCED, tenantId="t").refused(409, "run_already_active")
    runs += [_run(host, _start(host, "two", ENFORCED)),
             _run(host, _start(host, "three", ENFORCED, tenantId="t")),
             _run(host, _start(host, "two", tenantId="t"))]
    fork = _run(host, runs[1].fork("branch", fromSeq=0))
    runs[1].cancel().expect(200)
    error = _start(host, "two", ENFORCED).refused(409, "run_already_active")
    equal("the active one", error["details"]["activeRunId"], fork.id)
    for each in (*runs, fork):
        each.cancel().expect(200)


def of_many_enforced_starts_at_once_one_wins(host):
    """One is 201, the others are refused."""
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: _start(host, "many", ENFORCED), range(8)))
    equal("statuses", sorted(each.status for each in answers), [201] + [409] * 7)
    for each in answers:
        if each.status == 201:
            _run(host, each).cancel().expect(200)


def a_refusal_is_not_kept_for_its_key(host):
    """The winner's retry gets its run; a loser's succeeds once the scope is free."""
    first = _run(host, _start(host, "four", {**ENFORCED, "Idempotency-Key": "winner"}))
    equal("the retry", _start(host, "four", {**ENFORCED, "Idempotency-Key": "winner"}).expect(
        201).json["runId"], first.id)
    loser = {**ENFORCED, "Idempotency-Key": "loser"}
    _start(host, "four", loser).refused(409, "run_already_active")
    first.cancel().expect(200)
    _run(host, _start(host, "four", loser)).cancel().expect(200)


def another_value_is_refused(host):
    """X-Dedup is enforce or absent: a word that is mistyped must not start a second run."""
    for value in ("Enforce", "true", "enforce, enforce"):
        _start(host, "five", {"X-Dedup": value}).refused(400, "validation_error")


def no_key_may_force_an_engine_version(host):
    """All keys are production keys: 403 force_engine_version_forbidden, and nothing starts."""
    before = len(host.client.get("/v1/runs?limit=1000").json["runs"])
    _start(host, "six", {"X-Force-Engine-Version": "1"}).refused(
        403, "force_engine_version_forbidden")
    source = host.done("conformance-noop")
    host.client.post(f"{source.path}:fork", {"mode": "replay"},
                     {"X-Force-Engine-Version": "1"}).refused(403, "force_engine_version_forbidden")
    after = len(host.client.get("/v1/runs?limit=1000").json["runs"])
    ensure(after <= before + 1, "a run was started:", [before, after])

"""Keys and scopes, as a table: every endpoint, without a key, with a wrong one, with each scope."""

from harness.check import ensure, equal, holds

UNKNOWN = "run-that-nobody-started"

# Endpoint, and the scopes that it needs; on things that do not exist, so that nothing happens.
ENDPOINTS = {
    ("GET", "/v1/workflows/no-such-workflow"): ("manifest:read",),
    ("GET", "/v1/workflows"): ("manifest:read",),
    ("POST", "/v1/runs"): ("runs:create",),
    ("GET", "/v1/runs"): ("runs:read",),
    ("GET", f"/v1/runs/{UNKNOWN}"): ("runs:read",),
    ("GET", f"/v1/runs/{UNKNOWN}/events"): ("runs:read",),
    ("GET", f"/v1/runs/{UNKNOWN}/events/poll"): ("runs:read",),
    ("POST", f"/v1/runs/{UNKNOWN}/cancel"): ("runs:cancel",),
    ("POST", f"/v1/runs/{UNKNOWN}:cancel"): ("runs:cancel",),
    ("POST", f"/v1/runs/{UNKNOWN}:pause"): ("runs:cancel",),
    ("POST", f"/v1/runs/{UNKNOWN}:resume"): ("runs:cancel",),
    ("POST", f"/v1/runs/{UNKNOWN}:fork"): ("runs:create", "runs:read"),
    ("POST", f"/v1/runs/{UNKNOWN}/interrupts/gate"): ("approvals:respond",),
    ("POST", f"/v1/runs/{UNKNOWN}:resolveInterrupt"): ("approvals:respond",),
}
SCOPES = ("manifest:read", "runs:create", "runs:read", "runs:cancel", "approvals:respond")


def _ask(client, method, path, headers=None):
    return client.request(method, path, {} if method == "POST" else None, headers)


def every_endpoint_wants_a_key(host):
    """Without a key the answer is 401 unauthenticated, also for what does not exist."""
    for method, path in ENDPOINTS:
        _ask(host.nobody, method, path).refused(401, "unauthenticated")


def malformed_and_unknown_keys_are_nobodys(host):
    """Another scheme, no key, half a key, a key with an end: 401, never 403."""
    key = host.keys["all"]["key"]
    for value in ("Bearer", "Bearer ", key, f"Basic {key}", f"Token {key}", f"Bearer {key}x",
                  f"Bearer {key[:-1]}", f"Bearer {key[:len(key) // 2]}",
                  f"Bearer {host.keys['all']['id']}", f"Bearer {key} {key}",
                  "Bearer " + "k" * 4000):
        for method, path in (("GET", f"/v1/runs/{UNKNOWN}"), ("POST", "/v1/runs")):
            _ask(host.nobody, method, path, {"Authorization": value}).refused(
                401, "unauthenticated")


def every_endpoint_wants_its_scope(host):
    """A key without the scope is 403 forbidden, and is told which one is needed."""
    for (method, path), needed in ENDPOINTS.items():
        for scope in SCOPES:
            answer = _ask(host.as_key(scope), method, path)
            if set(needed) == {scope}:
                ensure(answer.status not in (401, 403),
                       f"{answer}: a key with {scope} may ask this")
            else:
                error = answer.refused(403, "forbidden")
                told = error.get("details", {}).get("scopeRequired")
                ensure(told in needed, f"{answer}: details.scopeRequired is one of {needed}")


def who_is_told_of_a_run_may_read_it(host):
    """A callbackUrl gets the run's last event, so a key that only starts runs is 403 forbidden."""
    order = {"workflowId": "conformance-noop", "callbackUrl": "http://127.0.0.1:9/"}
    error = host.as_key("runs:create").post("/v1/runs", order).refused(403, "forbidden")
    equal("what is needed", error["details"]["scopeRequired"], "runs:read")
    # The next rule: this server may reach nobody.
    host.as_key("all").post("/v1/runs", order).expect(400)


def groups_of_scopes_are_what_they_say(host):
    """A key with read reads, one with run starts runs, one with answer answers, and no more."""
    may = {"read": ("manifest:read", "runs:read"), "run": ("runs:create",),
           "answer": ("approvals:respond",)}
    must_not = {"read": ("runs:create", "runs:cancel", "approvals:respond"),
                "run": ("approvals:respond",), "answer": ("runs:create", "runs:cancel")}
    for (method, path), needed in ENDPOINTS.items():
        for group in may:
            answer = _ask(host.as_key(group), method, path)
            if set(needed) <= set(may[group]):
                ensure(answer.status not in (401, 403),
                       f"{answer}: a key with {group} may ask this")
            if set(needed) & set(must_not[group]):
                answer.refused(403, "forbidden")


def a_key_is_told_once_and_not_kept(host):
    """`keys new` prints id, key and scopes; the file has the key's hash and not the key."""
    made = host.keys["all"]
    ensure(set(made) == {"id", "key", "scopes"}, "keys new --json has id, key, scopes:",
           sorted(made))
    equal("scopes", sorted(made["scopes"]), sorted(SCOPES))
    kept = host.keys_file.read_text(encoding="utf-8")
    for each in host.keys.values():
        ensure(each["key"] not in kept, "the file of the keys has a key in plain")


def the_key_of_another_works_alike(host):
    """A run that one key started is shown to another one with the scope of reading."""
    run = host.done("conformance-noop")
    for name in ("other", "read", "runs:read"):
        holds("snapshot", host.as_key(name).get(run.path).expect(200).json, {"runId": run.id})

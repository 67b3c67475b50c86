"""What is wrong is refused with the closed envelope, which the client checks on every answer."""

from harness.check import among, ensure, equal

UNKNOWN = "run-that-nobody-started"


def unknown_runs_are_not_found(host):
    """Each endpoint of a run that does not exist is 404 not_found."""
    path = f"/v1/runs/{UNKNOWN}"
    for each in ("", "/events", "/events/poll"):
        host.client.get(path + each).refused(404, "not_found")
    host.client.post(f"{path}/cancel").refused(404, "not_found")
    host.client.post(f"{path}:fork", {"mode": "replay"}).refused(404, "not_found")
    host.client.post(f"{path}/interrupts/gate", {"resumeValue": {"action": "accept"}}).refused(
        404, ("not_found", "interrupt_not_found"))


def odd_ids_of_runs_are_not_found(host):
    """An id that no run can have is no fault of the server."""
    for each in ("%20", "a" * 129, "%C3%A4", "a%3Ab", "a.b", "'", "-1"):
        among(f"status of the run {each}", host.client.get(f"/v1/runs/{each}/events").status,
              (400, 404))


def bad_escapes_are_refused_with_the_envelope(host):
    """Escapes that are not valid, bytes that are not UTF-8, and dot segments."""
    for each in ("%zz", "%", "%FF", "%00", "a%2", "%2e%2e"):
        for path in (f"/v1/runs/{each}", f"/v1/runs/{each}/events", f"/v1/workflows/{each}",
                     f"/v1/runs/{UNKNOWN}/interrupts/{each}", f"/v1/runs?status={each}"):
            if "?" in path and each == "%2e%2e":
                continue
            host.client.get(path).refused(400, "validation_error")


def a_body_must_be_an_object_of_json(host):
    """No body, an empty one, broken or other JSON, other bytes: 400 with the envelope."""
    for body in (None, b"", b"{", b"[]", b"null", b'"text"', b"{}", b"\xff\xfe",
                 b'{"workflowId": }', b'{"workflowId": "conformance-noop"} {}', b"[" * 100_000,
                 b"{'workflowId': 1}"):
        answer = host.client.post("/v1/runs", body)
        among(f"{answer}: status", answer.status, (400, 413, 415))


def bodies_are_application_json(host):
    """Other media types, as pages of others can send them, are refused."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = host.client.post("/v1/runs", {"workflowId": "conformance-noop"},
                                  {"Content-Type": kind})
        among(f"{answer}: status", answer.status, (400, 415))


def an_unknown_workflow_is_refused(host):
    """A run of a workflow that does not exist is 400 or 404."""
    for each in ("conformance-nothing", "", "../keys", "a" * 1000):
        host.client.post("/v1/runs", {"workflowId": each}).refused(
            (400, 404), ("validation_error", "not_found"))


def members_of_another_type_are_refused(host):
    """What the request to start a run has is of its type, or 400 validation_error."""
    right = {"workflowId": "conformance-noop"}
    for name, values in {"workflowId": (1, None, ["conformance-noop"]), "inputs": ([], "x", 1),
                         "configurable": ([], 1), "tags": ("x", [1], {}), "metadata": ([], "x"),
                         "tenantId": (1,), "scopeId": ({},), "callbackUrl": (1,)}.items():
        for value in values:
            host.client.post("/v1/runs", {**right, name: value}).refused(400, "validation_error")


def a_server_without_permission_calls_nobody_back(host):
    """A callbackUrl is refused by a server that was not started with the permission."""
    host.client.post("/v1/runs", {"workflowId": "conformance-noop",
                                  "callbackUrl": "http://127.0.0.1:9/"}).refused((400, 403, 422))


def other_methods_are_405(host):
    """A path says which methods it has, and refuses others."""
    for method, path, allowed in (
            ("DELETE", "/.well-known/openwop", "GET"), ("POST", "/v1/openapi.json", "GET"),
            ("PUT", "/v1/runs", "POST"), ("DELETE", "/v1/workflows/conformance-noop", "GET"),
            ("PATCH", f"/v1/runs/{UNKNOWN}", "GET"), ("POST", f"/v1/runs/{UNKNOWN}/events", "GET"),
            ("GET", f"/v1/runs/{UNKNOWN}/cancel", "POST"),
            ("GET", f"/v1/runs/{UNKNOWN}:fork", "POST"),
            ("PUT", f"/v1/runs/{UNKNOWN}/interrupts/gate", "POST")):
        body = {} if method in ("PUT", "POST", "PATCH") else None
        answer = host.client.request(method, path, body)
        answer.refused(405)
        ensure(allowed in answer.headers.get("allow", ""), f"{answer}: Allow is "
               f"{answer.headers.get('allow')!r}, expected {allowed} in it")


def head_is_get_without_a_body(host):
    """HEAD of what can be read has the status of GET, and no body."""
    run = host.done("conformance-noop")
    for path in (run.path, f"{run.path}/events", f"{run.path}/events/poll",
                 "/v1/workflows/conformance-noop", f"/v1/runs/{UNKNOWN}"):
        head = host.client.request("HEAD", path, headers={"Accept": "application/json"})
        get = host.client.get(path, {"Accept": "application/json"})
        equal(f"status of HEAD {path}", head.status, get.status)
        equal(f"body of HEAD {path}", head.body.decode(), "")


def every_answer_has_its_id(host):
    """X-Request-Id is on each answer, good or bad, and never the same."""
    paths = ("/.well-known/openwop", f"/v1/runs/{UNKNOWN}", f"/v1/runs/{UNKNOWN}", "/v1/runs")
    answers = [host.client.get(path) for path in paths] + [host.nobody.post("/v1/runs", {})]
    ids = [each.headers.get("x-request-id", "") for each in answers]
    ensure(all(ids) and len(set(ids)) == len(ids), "X-Request-Id of five answers:", ids)


def other_names_and_origins_are_refused(host):
    """A name that is not the server's is 421, a page of somebody else 403."""
    host.client.get(f"/v1/runs/{UNKNOWN}", {"Host": "attacker.example"}).refused(421)
    host.client.post("/v1/runs", {"workflowId": "conformance-noop"},
                     {"Origin": "http://attacker.example"}).refused(403)

"""What a host says of itself: /.well-known/openwop, the description of its API, its workflows."""

import json
import pathlib
import re
import tempfile

from harness.check import among, ensure, equal, holds
from harness.host import Host

WELL_KNOWN = "/.well-known/openwop"


def _document(host):
    return host.nobody.get(WELL_KNOWN).expect(200).json


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def needs_no_key_and_may_be_cached(host):
    """Discovery is JSON for everybody, also for somebody with a wrong key, with Cache-Control."""
    for headers in ({}, {"Authorization": "Bearer nobody-has-this"}):
        answer = host.nobody.get(WELL_KNOWN, headers).expect(200)
        ensure(isinstance(answer.json, dict), f"{answer}: expected an object")
        ensure(answer.headers.get("cache-control"), f"{answer}: no Cache-Control")


def has_the_required_members(host):
    """Version, envelopes, schema versions and limits are there, and of their types."""
    made = _document(host)
    ensure(str(made.get("protocolVersion")).startswith("1."),
           "protocolVersion begins with 1.:", made)
    envelopes = made.get("supportedEnvelopes")
    ensure(isinstance(envelopes, list) and all(isinstance(each, str) for each in envelopes),
           "supportedEnvelopes are texts:", made)
    ensure("clarification.request" in envelopes, "supportedEnvelopes has clarification.request:",
           envelopes)
    versions = made.get("schemaVersions")
    ensure(isinstance(versions, dict) and all(_is_count(each) for each in versions.values()),
           "schemaVersions has integers:", made)


def limits_are_the_four_that_the_schema_has(host):
    """limits is closed: three counts, and a number of nodes of at least one."""
    limits = _document(host).get("limits")
    ensure(isinstance(limits, dict), "limits is an object:", limits)
    equal("members of limits", sorted(limits), ["clarificationRounds", "envelopesPerTurn",
                                                "maxNodeExecutions", "schemaRounds"])
    ensure(all(map(_is_count, limits.values())) and limits["maxNodeExecutions"] >= 1,
           "limits are counts, maxNodeExecutions at least 1:", limits)


def says_its_flags_at_the_root_and_in_the_mirror(host):
    """conversationPrimitive and replay are at the root, and the same under capabilities."""
    made = _document(host)
    equal("conversationPrimitive", made.get("conversationPrimitive"), True)
    replay = made.get("replay")
    holds("replay", replay, {"supported": True})
    ensure({"replay", "branch"} <= set(replay.get("modes", [])), "replay has both modes:", replay)
    mirror = made.get("capabilities")
    holds("capabilities", mirror, {"conversationPrimitive": True, "replay": replay})


def lists_the_fixtures_that_it_has(host):
    """fixtures has the ids of the seeded conformance workflows, each once, and each is there."""
    listed = _document(host).get("fixtures")
    ensure(isinstance(listed, list) and len(set(listed)) == len(listed),
           "fixtures has each id once:", listed)
    ensure(set(host.fixtures) <= set(listed), "fixtures lacks some of the seeded workflows:",
           sorted(set(host.fixtures) - set(listed)))
    for each in listed:
        host.client.get(f"/v1/workflows/{each}").expect(200)


def optional_members_have_their_shapes(host):
    """implementation is closed, transports are known ones, runtime capabilities are names."""
    made = _document(host)
    ensure(set(made.get("implementation", {})) <= {"name", "version", "vendor"},
           "implementation has name, version, vendor alone:", made)
    transports = made.get("supportedTransports", ["rest"])
    ensure("rest" in transports and set(transports) <= {"rest", "mcp", "a2a", "grpc"},
           "supportedTransports are known and have rest:", transports)
    capabilities = made.get("runtimeCapabilities", [])
    ensure(all(isinstance(each, str) and each for each in capabilities)
           and len(set(capabilities)) == len(capabilities),
           "runtimeCapabilities are different names:", capabilities)
    ensure("conformance.never-provided" not in capabilities,
           "runtimeCapabilities has what nobody provides:", capabilities)


def is_stable_and_says_no_edit(host):
    """The same document comes again, with the same etag, and without the token "edit"."""
    first, again = (host.nobody.get(WELL_KNOWN).expect(200) for _ in range(2))
    equal("discovery, asked again", again.json, first.json)
    for name in ("capabilities-etag", "cache-control"):
        equal(name, again.headers.get(name), first.headers.get(name))
    ensure(first.headers.get("capabilities-etag", "-"), f"{first}: an empty Capabilities-Etag")
    ensure(b'"edit"' not in first.body, f'{first}: has "edit"; the word is edit-accept')


def answers_head_as_get_without_a_body(host):
    """HEAD gives the status and headers of GET, and no body."""
    for path in (WELL_KNOWN, "/v1/openapi.json"):
        get, head = host.nobody.get(path), host.nobody.request("HEAD", path)
        equal(f"status of HEAD {path}", head.status, get.status)
        equal(f"body of HEAD {path}", head.body.decode(), "")
        for name in ("content-type", "cache-control"):
            equal(f"{name} of HEAD {path}", head.headers.get(name), get.headers.get(name))


def serves_its_description(host):
    """/v1/openapi.json is OpenAPI 3.1 for everybody and describes what is published."""
    made = host.nobody.get("/v1/openapi.json").expect(200).json
    ensure(re.match(r"3\.[1-9]", str(made.get("openapi"))), "openapi is 3.1 or later:",
           made.get("openapi"))
    for path in ("/v1/runs", "/v1/runs/{runId}", "/v1/runs/{runId}/events",
                 "/v1/runs/{runId}/events/poll", "/v1/runs/{runId}/cancel", "/v1/runs/{runId}:fork",
                 "/v1/runs/{runId}/interrupts/{nodeId}", "/v1/workflows/{workflowId}",
                 WELL_KNOWN):
        shape = re.sub(r"{\w+}", "{}", path)
        ensure(shape in {re.sub(r"{\w+}", "{}", each) for each in made.get("paths", {})},
               f"the description has no path {path}; it has", sorted(made.get("paths", {})))


def gives_workflows_as_they_were_seeded(host):
    """GET /v1/workflows/{id} is the definition, word for word."""
    for each in host.fixtures:
        equal(f"the workflow {each}", host.client.get(f"/v1/workflows/{each}").expect(200).json,
              host.definition(each))


def serves_the_right_workflows_beside_wrong_ones(host):
    """Files that are wrong are listed and counted, and do not keep others from being served."""
    made = host.client.get("/v1/workflows").expect(200).json
    equal("refused", made["refused"], [])
    equal("ready", host.nobody.get("/readyz").expect(200).json, {"status": "ready"})
    with tempfile.TemporaryDirectory() as folder:
        second = Host(host.program, pathlib.Path(folder) / "host", host.workflows)
        twin = json.dumps(host.definition("conformance-noop"))
        for name, text in (("0", "{"), ("1", '{"id": "short"}'), ("zz", twin)):
            (second.workflows / f"{name}.json").write_text(text, encoding="utf-8")
        try:
            second.start()
            listed = second.client.get("/v1/workflows").expect(200).json
            equal("served", listed["workflows"], made["workflows"])
            equal("refused", [(each["file"], each.get("id")) for each in listed["refused"]],
                  [("0.json", None), ("1.json", None), ("zz.json", "conformance-noop")])
            ensure(all(each["message"] for each in listed["refused"]), "no reasons in", listed)
            equal("ready", second.nobody.get("/readyz").expect(200).json,
                  {"status": "ready", "refusedWorkflows": 3})
            second.run("conformance-noop").wait("completed")
        finally:
            second.kill()


def refuses_workflows_that_it_does_not_have(host):
    """An unknown workflow is 404 not_found, whatever its id looks like."""
    for each in ("conformance-nothing", "Conformance-noop", "%20", "a" * 300):
        answer = host.client.get(f"/v1/workflows/{each}")
        among(f"{answer}: status", answer.status, (400, 404))
    host.client.get("/v1/workflows/conformance-nothing").refused(404, "not_found")

"""The list of all runs."""

from harness.check import ensure, equal, holds
from harness.runs import WAITING


def _rows(host, query=""):
    """The rows of all pages, by the run's id; the latest comes first."""
    rows, after = [], ""
    while True:
        page = host.client.get(f"/v1/runs?limit=7{query}{after}").expect(200).json
        ensure(len(page["runs"]) <= 7, "a page has at most `limit` runs:", len(page["runs"]))
        rows += page["runs"]
        if not page["next"]:
            break
        after = f"&after={page['next']}"
    equal("runs that are listed twice", len(rows) - len({each["runId"] for each in rows}), 0)
    return {each["runId"]: each for each in rows}


def it_has_each_run_with_what_that_waits_for(host):
    """A run that waits, one that ended, and where their events are; over a kill, too."""
    waits = host.run("conformance-approval")
    waits.wait("waiting-approval")
    ended = host.run("conformance-noop").finish()
    for restart in (False, True):
        if restart:
            host.restart()
        rows = _rows(host)
        holds("a run that waits", rows[waits.id],
              {"workflowId": "conformance-approval", "status": "waiting-approval",
               "events": len(waits.events())})
        equal("what waits", [(each["nodeId"], each["kind"]) for each in rows[waits.id]["waiting"]],
              [("gate", "approval")])
        holds("a run that ended", rows[ended.id],
              {"workflowId": "conformance-noop", "status": "completed", "waiting": [],
               "events": len(ended.events()), "completedAt": ended.snapshot()["completedAt"]})
        order = list(rows)
        ensure(order.index(ended.id) < order.index(waits.id), "the latest comes first:", order)
    waits.cancel().expect(200)


def it_is_narrowed_by_status(host):
    """One status or several; another word is refused."""
    waits = host.run("conformance-clarification")
    waits.wait("waiting-input")
    rows = _rows(host, "&status=waiting-input,paused")
    equal("statuses", sorted({each["status"] for each in rows.values()}), ["waiting-input"])
    ensure(waits.id in rows, "the run that waits is listed:", list(rows))
    host.client.get("/v1/runs?status=nonsense").refused(400, "validation_error")
    host.client.get("/v1/runs?limit=0").refused(400, "validation_error")
    waits.cancel().expect(200)


def a_replay_waits_for_nobody(host):
    """It is listed as ended, though its source waits."""
    source = host.run("conformance-approval")
    source.wait("waiting-approval")
    fork = source.forked("replay")
    holds("the replay", _rows(host)[fork.id], {"waiting": [], "status": "cancelled"})
    source.cancel().expect(200)


def an_interrupt_has_one_kind_everywhere(host):
    """In the event, the snapshot, the lists and by its token; a list is narrowed by it."""
    for workflow, kind, family in (
            ("test-conversation", "conversation.start", "conversation"),
            ("conformance-approval", "approval", "approval"),
            ("test-custom-interrupt", "custom", "custom")):
        run = host.run(workflow)
        run.wait(*WAITING)
        shown = run.snapshot()
        token = shown["interrupts"][0]["callbackUrl"]
        equal(f"kinds of {workflow}",
              [run.event("interrupt.requested")["payload"]["kind"], shown["interrupt"]["kind"],
               _rows(host)[run.id]["waiting"][0]["kind"], host.client.get(token).json["kind"]],
              [kind] * 4)
        for wanted in (kind, family, f"low-confidence,{kind}"):
            listed = host.client.get(f"/v1/interrupts?run={run.id}&kind={wanted}").expect(200).json
            equal(f"kinds for {wanted}", [each["kind"] for each in listed["interrupts"]], [kind])
        other = host.client.get(f"/v1/interrupts?run={run.id}&kind=low-confidence").expect(200)
        equal("another kind", other.json["interrupts"], [])
        run.cancel().expect(200)
    listed = host.client.get("/.well-known/openwop").json["interrupts"]["kinds"]
    ensure("conversation.start" in listed, "discovery lacks the kind:", listed)

"""A host that does not offer conversations: it says so, and refuses workflows that have one."""

import contextlib
import pathlib
import tempfile

from harness.check import among, equal
from harness.host import Host

# The option of `serve` that takes them away.
OPTION = "--without-conversations"


@contextlib.contextmanager
def _second(host):
    with tempfile.TemporaryDirectory() as folder:
        made = Host(host.program, pathlib.Path(folder) / "host", host.workflows, [OPTION])
        try:
            made.start()
            yield made
        finally:
            made.kill()


def it_refuses_what_needs_one_and_runs_the_rest(host):
    """No flag in discovery; runs with a conversation are refused, never made a clarification."""
    with _second(host) as second:
        made = second.nobody.get("/.well-known/openwop").expect(200).json
        for where in (made, made.get("capabilities", {})):
            equal("conversationPrimitive", where.get("conversationPrimitive", False), False)
        for workflow in ("conformance-conversation-capability-negotiation",
                         "conformance-conversation-lifecycle", "test-conversation"):
            answer = second.client.post("/v1/runs", {"workflowId": workflow})
            error = answer.refused((400, 404, 422),
                                   ("validation_error", "capability_required", "not_found"))
            if error["error"] == "not_found":
                continue
            second.client.get(f"/v1/workflows/{workflow}").refused(404, "not_found")
            details = error.get("details", {})
            equal("requiredCapability", details.get("requiredCapability"), "conversationPrimitive")
            equal("offendingTypeId", details.get("offendingTypeId"), "core.conversationGate")
        for workflow in ("conformance-noop", "conformance-multi-node"):
            second.run(workflow).wait("completed")
        run = second.run("conformance-clarification")
        run.wait("waiting-input")
        among("status", run.cancel().expect(200).json["status"], ("cancelling", "cancelled"))

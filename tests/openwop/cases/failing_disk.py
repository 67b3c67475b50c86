"""A disk that takes nothing more while the server runs."""

import contextlib
import pathlib
import resource
import tempfile

from harness.check import Failed, ensure, equal
from harness.host import Host

SECONDS = 120
SCENARIO = {"convene": "1", "collab": {
    "title": "Two", "purpose": "Talk", "mode": "round_robin",
    "participants": [{"participant_id": "ada", "kind": "agent", "role_id": "role-a"},
                     {"participant_id": "ben", "kind": "agent", "role_id": "role-b"}]}}


@contextlib.contextmanager
def _small(host):
    """A server whose files grow to 40,000 bytes and no more."""
    with tempfile.TemporaryDirectory() as folder:
        made = Host(host.program, pathlib.Path(folder) / "host", host.workflows)
        try:
            made.start()
            resource.prlimit(made.process.pid, resource.RLIMIT_FSIZE, (40_000, 40_000))
            yield made
        finally:
            made.kill()


def _fill(small, path, body):
    """Asks until the server stops; its exit code."""
    for _ in range(1_000):
        try:
            small.client.post(path, body)
        except Failed:  # it takes no more connections
            break
    return small.process.wait(timeout=SECONDS)


def _ends(host, path, body):
    with _small(host) as small:
        equal("exit code", _fill(small, path, body), 3)
        ensure("File too large" in small.last_words(), "it says why:", small.last_words())
        # What was stored is there after the next start.
        small.process = None
        small.start()
        small.client.get("/readyz").expect(200)


def a_log_of_runs_that_fails_ends_the_server(host):
    """It stops, with exit code 3."""
    _ends(host, "/v1/runs", {"workflowId": "conformance-multi-node"})


def a_log_of_sessions_that_fails_ends_the_server(host):
    """Likewise."""
    _ends(host, "/v1/sessions", {"scenario": SCENARIO})

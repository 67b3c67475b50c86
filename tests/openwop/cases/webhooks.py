"""Events of CI, tools and Git that their sources sign: `serve --webhook-secrets`."""

import contextlib
import hashlib
import hmac
import json
import pathlib
import subprocess
import tempfile
import time

from harness.check import ensure, equal
from harness.host import Host

SECRET = b"0123456789abcdef0123456789abcdef"
PUSH = {"ref": "refs/heads/main", "before": "a1", "after": "b2", "created": False, "deleted": False,
        "repository": {"full_name": "octo/hello", "pushed_at": 1_767_225_600,
                       "clone_url": "https://github.com/octo/hello.git"},
        "head_commit": {"id": "b2", "message": "Mend it", "timestamp": "2020-01-01T00:00:00Z"}}
RUN = {"event_type": "ci_pipeline", "payload": {"ci_provider": "ci-server", "pipeline_id": "main",
                                                "run_id": "81", "status": "failed"}}


def _sha256(text):
    return "sha256=" + hmac.new(SECRET, text, hashlib.sha256).hexdigest()


class _Server:
    def __init__(self, host, folder):
        self.log = folder / "outside.jsonl"
        secrets = folder / "secrets"
        secrets.mkdir()
        for source in ("github", "ci-server"):
            (secrets / source).write_bytes(SECRET + b"\n")
            (secrets / source).chmod(0o600)
        self.host = Host(host.program, folder / "host", host.workflows,
                         ["--outside", self.log, "--webhook-secrets", secrets])

    def send(self, body, source="github", **headers):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"X-Hub-Signature-256": _sha256(text), "Content-Type": "application/json",
                 **{name.replace("_", "-"): value for name, value in headers.items()}}
        given = {name: value for name, value in given.items() if value is not None}
        return self.host.nobody.post(f"/v1/webhooks/{source}", text, given)

    def status(self, *args, **how):
        return self.send(*args, **how).expect(200).json["status"]

    def events(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextlib.contextmanager
def _server(host):
    with tempfile.TemporaryDirectory() as folder:
        made = _Server(host, pathlib.Path(folder))
        try:
            made.host.start()
            yield made
        finally:
            made.host.kill()


def what_github_signs_is_written_once(host):
    """Also over a kill; a push back to where the branch was is another one."""
    with _server(host) as uut:
        push = {"X_GitHub_Event": "push"}
        equal("a push", uut.status(PUSH, **push), "written")
        equal("the same delivery", uut.status(PUSH, **push), "duplicate")
        uut.host.restart()
        equal("the same after a kill", uut.status(PUSH, **push), "duplicate")
        back = {**PUSH, "before": "c3", "forced": True,
                "repository": {**PUSH["repository"], "pushed_at": 1_767_225_700}}
        equal("a push back", uut.status(back, **push), "written")
        equal("a ping", uut.status({"zen": "x"}, X_GitHub_Event="ping"), "ignored")
        first, second = uut.events()
        equal("source", first["source"], "github")
        equal("commits", [each["payload"]["commit_id"] for each in (first, second)], ["b2", "b2"])
        run = {"action": "completed", "repository": {"full_name": "octo/hello"},
               "workflow_run": {"id": 5, "name": "build", "head_sha": "b2", "run_attempt": 2,
                                "status": "completed", "conclusion": "success",
                                "run_started_at": "2026-01-01T00:00:00Z",
                                "updated_at": "2026-01-01T00:05:00Z"}}
        equal("a run", uut.status(run, X_GitHub_Event="workflow_run"), "written")
        gate = subprocess.run([host.program, "gate", "--log", uut.log, "--pipeline", "build"],
                              capture_output=True, timeout=120, check=False)
        equal("exit code of the gate", gate.returncode, 0)


def what_is_not_signed_is_refused(host):
    """Another secret, source, body, or none; nothing is written, and the answer says no more."""
    with _server(host) as uut:
        for how in ({"X_Hub_Signature_256": None}, {"X_Hub_Signature_256": "sha256=" + "0" * 64},
                    {"X_Hub_Signature_256": _sha256(b"{}")}, {"source": "other"},
                    {"source": "..%2fsecrets%2fgithub"},
                    {"X_Hub_Signature_256": None, "X_Convene_Signature": _sha256(b"{}")}):
            answer = uut.send(RUN, **how).expect(400, 401, 404)
            ensure(answer.status == 401 or "/" in str(how.get("source")) or "%2f" in how["source"],
                   f"{how}: {answer}")
            if answer.status == 401:
                equal("code", answer.json["error"]["code"], "signature_invalid")
        ensure(not uut.log.exists() or not uut.events(), "something was written")


def another_source_signs_with_its_time(host):
    """As convene signs what it sends; a signature that is too old counts no more."""
    with _server(host) as uut:
        text = json.dumps(RUN).encode()

        def send(at):
            stamp = str(int(at))
            return uut.send(RUN, source="ci-server", X_Hub_Signature_256=None,
                            X_Convene_Timestamp=stamp,
                            X_Convene_Signature=_sha256(stamp.encode() + b"." + text))

        for at in (time.time() - 400, time.time() + 400):
            send(at).expect(401)
        equal("status", send(time.time()).expect(200).json["status"], "written")
        equal("status", send(time.time()).expect(200).json["status"], "duplicate")
        wrong = uut.send({**RUN, "payload": {"status": "great"}}, source="ci-server").expect(422)
        equal("code", wrong.json["error"]["code"], "event_invalid")


def a_body_of_nobody_is_bounded_before_it_is_read(host):
    """A megabyte is the most of an event, half of one of an answer with a token."""
    with _server(host) as uut:
        answer = uut.send(b"{}", Content_Length=str((1 << 20) + 1))
        equal("code", answer.expect(413).json["error"]["code"], "body_bytes_max")
        for length, status in ((512 * 1024 + 1, 413), (2, 404)):
            host.nobody.post("/v1/interrupts/x.y", b"{}", {"Content-Length": str(length),
                                                           "Content-Type": "application/json"}
                             ).expect(status)


def a_secret_that_others_can_read_ends_the_start(host):
    """With its file."""
    with tempfile.TemporaryDirectory() as folder:
        made = _Server(host, pathlib.Path(folder))
        (pathlib.Path(folder) / "secrets" / "github").chmod(0o644)
        done = subprocess.run([host.program, "serve", "--listen", "127.0.0.1:0", "--data",
                               pathlib.Path(folder) / "data", *made.host.options],
                              capture_output=True, text=True, timeout=120, check=False)
        equal("exit code", done.returncode, 2)
        ensure("secrets/github" in done.stderr, "the file is not named:", done.stderr)

"""The program as a server: started, killed, started again on the same data."""

import json
import pathlib
import queue
import re
import shutil
import socket
import subprocess
import threading

from harness.check import Failed, ensure, parse
from harness.client import Client
from harness.runs import Run

OWN_WORKFLOWS = pathlib.Path(__file__).resolve().parents[1] / "workflows"
START_SECONDS = 120
RECORDING = threading.Lock()

# Workflows of which a step takes a short time; there are more of them, each of which takes so many
# times as long.
HURRIED = ("test-approval-timeout", "test-conversation-deadline", "test-conversation-retry",
           "test-conversation-timeout", "test-pause", "test-session-slow")
LONGER = (4, 16, 64, 256)

# Keys by name, and their scopes.
KEYS = {
    "all": "manifest:read,runs:create,runs:read,runs:cancel,approvals:respond",
    "other": "manifest:read,runs:create,runs:read,runs:cancel,approvals:respond",
    "manifest:read": "manifest:read",
    "runs:create": "runs:create",
    "runs:read": "runs:read",
    "runs:cancel": "runs:cancel",
    "approvals:respond": "approvals:respond",
    "read": "read",
    "run": "run",
    "answer": "answer",
}


class Host:
    def __init__(self, program, folder, workflows, options=(), recorded=None):
        self.program, self.options, self.recorded = program, list(options), recorded
        self.folder = pathlib.Path(folder)
        self.workflows = self.folder / "workflows"
        self.workflows.mkdir(parents=True)
        for source in (pathlib.Path(workflows), OWN_WORKFLOWS):
            for file in source.glob("*.json"):
                shutil.copy(file, self.workflows)
        for workflow in HURRIED:
            self.add_longer(workflow)
        self.fixtures = sorted(file.stem for file in self.workflows.glob("conformance-*.json"))
        self.keys_file = self.folder / "keys.json"
        self.secrets = [str(self.folder)]
        self.process = None
        self.port = 0
        self.holder = None  # of the port, while no server listens
        self.finished = {}  # runs that tests only read, by name
        self.keys = {}
        self.client = self.nobody = Client(self)

    def new_key(self, scopes, *more):
        done = subprocess.run([self.program, "keys", "new", "--file", self.keys_file, "--scope",
                               scopes, *more, "--json"], capture_output=True, text=True, timeout=120,
                              check=False)
        if done.returncode:
            raise Failed(f"keys new --scope {scopes}: exit code {done.returncode}: "
                         f"{done.stdout}{done.stderr}")
        return parse(done.stdout, f"keys new --scope {scopes} --json")

    def record(self, method, path, body, answer):
        """Notes what was asked and answered, a line of JSON each, for those who check the bodies."""
        if self.recorded is None:
            return
        made = {"method": method, "path": path, "status": answer.status,
                "type": answer.headers.get("content-type"), "answer": answer.body.decode(errors="replace")}
        if body is not None:
            made["body"] = body.decode(errors="replace") if isinstance(body, bytes) else json.dumps(body)
        with RECORDING:
            self.recorded.write(json.dumps(made) + "\n")

    def as_key(self, name):
        return Client(self, self.keys[name]["key"])

    def add_longer(self, workflow):
        for factor in LONGER:
            made = self.definition(workflow)
            made["id"] = f"{workflow}-{factor}"
            for config in (node["config"] for node in made["nodes"]):
                agents = config.get("scenario", {}).get("behaviours", {})
                for timed in (config, *agents.values()):
                    for name in {"timeoutMs", "ms", "latency_ms"} & set(timed):
                        timed[name] *= factor
            (self.workflows / f"{made['id']}.json").write_text(json.dumps(made), encoding="utf-8")

    def definition(self, workflow):
        return json.loads((self.workflows / f"{workflow}.json").read_text(encoding="utf-8"))

    # The process

    def hold_port(self):
        """A port that nobody else is given while no server listens there."""
        if self.holder is not None:
            self.holder.close()
        self.holder = socket.socket()
        self.holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.holder.bind(("127.0.0.1", 0))
        return self.holder.getsockname()[1]

    def start(self, port=None, options=()):
        port = port or self.hold_port()
        if not self.keys:
            self.keys = {name: self.new_key(scopes) for name, scopes in KEYS.items()}
            self.client = self.as_key("all")
        command = [self.program, "serve", "--listen", f"127.0.0.1:{port}", "--data",
                   self.folder / "data", "--keys", self.keys_file, "--workflows", self.workflows,
                   *self.options, *options]
        with open(self.folder / "errors.txt", "ab") as errors:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=errors, text=True)
        lines = queue.Queue()
        threading.Thread(target=self.read, args=(self.process.stdout, lines), daemon=True).start()
        said = ""
        try:
            while not (found := re.search(r"listening on http://127\.0\.0\.1:(\d+)", said)):
                line = lines.get(timeout=START_SECONDS)
                ensure(line, f"{self.program} serve ended without listening: {said}"
                             f"{self.last_words()}")
                said += line
        except queue.Empty:
            raise Failed(f"{self.program} serve does not listen within {START_SECONDS} s: {said}"
                         f"{self.last_words()}") from None
        self.port = int(found[1])

    @staticmethod
    def read(stdout, lines):
        for line in stdout:
            lines.put(line)
        lines.put("")

    def kill(self):
        """As by kill -9."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def restart(self, *options):
        """Kills it and starts it again, this time with these options, too."""
        self.kill()
        self.start(options=options)

    def has_ended(self):
        """Whether it ended by itself; a test that kills it starts it again."""
        return self.process is None or self.process.poll() is not None

    def last_words(self):
        """The end of what the server wrote to standard error, and its exit code."""
        code = self.process.poll() if self.process else None
        file = self.folder / "errors.txt"
        text = file.read_text(errors="replace")[-600:].strip() if file.exists() else ""
        return (f"; exit code {code}" if code is not None else "") + (
            f"; standard error ends: {text}" if text else "")

    # Runs

    def run(self, workflow, client=None, **body):
        """Starts a run."""
        client = client or self.client
        answer = client.post("/v1/runs", {"workflowId": workflow, **body}).expect(201)
        return Run(client, answer.json["runId"])

    def longer_and_longer(self, workflow):
        """Runs of which a step takes a short time, longer each time: on a slow machine the first
        may be over before a test gets to it."""
        for name in (workflow, *(f"{workflow}-{factor}" for factor in LONGER)):
            yield self.run(name)

    def done(self, workflow):
        """A run of this workflow that has ended, and that tests only read."""
        if workflow not in self.finished:
            self.finished[workflow] = self.run(workflow).finish()
        return self.finished[workflow]

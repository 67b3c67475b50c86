"""What the models of a run's session say, piece by piece, in the stream mode messages."""

import contextlib
import http.server
import json
import pathlib
import tempfile
import threading

from harness.check import ensure, equal, eventually
from harness.host import Host
from harness.sse import Stream, events_of

PIECES = ["It ", "is ", "a \"rope\",\n", "says the second."]


class _Model(http.server.BaseHTTPRequestHandler):
    """Speaks OpenAI's chat completions, once it may."""

    may_speak = threading.Event()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.may_speak.wait(120)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for text in PIECES:
            self.say({"choices": [{"index": 0, "delta": {"content": text}}]})
        self.say({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def say(self, what):
        self.wfile.write(f"data: {json.dumps(what)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_):
        pass


def _workflow(host, port):
    """test-session, but one of its agents is a model at this port."""
    made = host.definition("test-session")
    made["id"] = "test-session-model"
    scenario = made["nodes"][0]["config"]["scenario"]
    scenario["behaviours"]["ada"] = {"type": "llm", "model": "any",
                                     "base_url": f"http://127.0.0.1:{port}/v1"}
    return made


@contextlib.contextmanager
def _second(host):
    """A host whose sessions may reach a model of ours."""
    _Model.may_speak.clear()
    model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    port = model.server_address[1]
    with tempfile.TemporaryDirectory() as folder:
        made = Host(host.program, pathlib.Path(folder) / "host", host.workflows,
                    ["--allow", f"net=127.0.0.1:{port}"])
        (made.workflows / "test-session-model.json").write_text(
            json.dumps(_workflow(host, port)), encoding="utf-8")
        try:
            made.start()
            yield made
        finally:
            _Model.may_speak.set()
            made.kill()
            model.shutdown()
            model.server_close()


def a_model_is_heard_piece_by_piece(host):
    """In messages alone, without ids; beside other modes no event is lost; later nothing again."""
    with _second(host) as second:
        run = second.run("test-session-model")
        eventually("node.started", lambda: run.events("node.started"))
        with Stream(run, "?streamMode=messages") as alone, \
                Stream(run, "?streamMode=updates,messages") as both, \
                Stream(run, "?streamMode=debug") as debug:
            _Model.may_speak.set()
            chunks, mixed, events = alone.all(), both.all(), events_of(debug.all())
        run.wait("completed")
        equal("types", {each.type for each in chunks} == {"ai.message.chunk"}, True)
        equal("ids", [each.id for each in chunks], [""] * len(chunks))
        ensure(all(each.json["runId"] == run.id and each.json["nodeId"] == "talk"
                   for each in chunks), "chunks name run and node:", [e.data for e in chunks])
        equal("what was said", "".join(each.json["chunk"] for each in chunks), "".join(PIECES))
        equal("isLast", [each.json["isLast"] for each in chunks],
              [False] * (len(chunks) - 1) + [True])
        equal("who said it", chunks[0].json["meta"], {"participant": "ada"})
        equal("chunks beside events", "".join(
            each.json["chunk"] for each in mixed if each.type == "ai.message.chunk"),
            "".join(PIECES))
        equal("all events", events, run.events())
        with Stream(run, "?streamMode=messages") as again:
            equal("what is said again", again.all(), [])

"""What those who wait hear when the server is told to stop."""

import contextlib
import pathlib
import socket
import tempfile

from harness.check import ensure, equal, parse
from harness.host import Host

SECONDS = 120
NOBODY = "00000000-0000-4000-8000-000000000000"


@contextlib.contextmanager
def _waiting(host, path):
    """A connection with a request that the server has: the one before it is answered."""
    with socket.create_connection(("127.0.0.1", host.port), timeout=SECONDS) as made:
        made.sendall("".join(
            f"GET {each} HTTP/1.1\r\nHost: 127.0.0.1:{host.port}\r\n"
            f"Authorization: Bearer {host.client.key}\r\n\r\n"
            for each in ("/healthz", path)).encode())
        ensure(made.recv(4096).startswith(b"HTTP/1.1 200 "), "/healthz is not 200")
        yield made


def _answer(connection):
    """The last one of the connection."""
    got = b""
    while some := connection.recv(4096):
        got += some
    head, _, body = got[got.rfind(b"HTTP/1.1 "):].partition(b"\r\n\r\n")
    ensure(head.startswith(b"HTTP/1.1 200 "), "no answer, or another one:", got)
    return parse(body, "the answer")


def who_waits_for_news_is_answered_when_the_server_stops(host):
    """With what there is, so that the server's end waits for nobody."""
    with tempfile.TemporaryDirectory() as folder:
        own = Host(host.program, pathlib.Path(folder) / "host", host.workflows)
        try:
            own.start()
            run = own.run("conformance-approval")
            run.wait("waiting-approval")
            known = len(run.events()) - 1
            with _waiting(own, f"/v1/requests?wait_ms=30000&session={NOBODY}") as asked, \
                    _waiting(own, f"{run.path}/events/poll?timeout=30&lastSequence={known}") as polled:
                run.snapshot()
                own.process.terminate()
                equal("questions", _answer(asked), {"requests": [], "more": False})
                equal("events", _answer(polled), {"events": [], "isComplete": False})
            equal("exit code", own.process.wait(SECONDS), 0)
        finally:
            own.kill()

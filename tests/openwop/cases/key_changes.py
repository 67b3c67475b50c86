"""Keys that change while the server runs."""

import contextlib
import json
import time

from harness.check import equal, eventually
from harness.client import Client
from harness.sse import Stream


def _put(host, text):
    """At once: the server may look at the file at any time."""
    made = host.keys_file.with_suffix(".new")
    made.write_text(text, encoding="utf-8")
    made.chmod(host.keys_file.stat().st_mode & 0o777)
    made.replace(host.keys_file)


@contextlib.contextmanager
def _file_as_it_was(host):
    before = host.keys_file.read_text(encoding="utf-8")
    try:
        yield before
    finally:
        _put(host, before)
        eventually("the keys are as before", lambda: host.client.get("/v1/runs").status == 200)


def a_revoked_key_stops_working_and_its_streams_end(host):
    """Another one's stream goes on; a new key works."""
    run = host.run("conformance-approval")
    run.wait("waiting-approval")
    with _file_as_it_was(host):
        made = host.new_key("runs:read")
        guest = Client(host, made["key"])
        eventually("the new key works", lambda: guest.get(run.path).status == 200)
        with Stream(run, client=guest) as ends, Stream(run) as stays:
            ends.until(lambda each: each.type == "interrupt.requested")
            rest = json.loads(host.keys_file.read_text(encoding="utf-8"))
            rest["keys"] = [each for each in rest["keys"] if each["id"] != made["id"]]
            _put(host, json.dumps(rest))
            eventually("the key is refused", lambda: guest.get(run.path).status == 401)
            equal("what comes for the revoked key then", [each.type for each in ends.all()], [])
            run.cancel().expect(200)
            equal("the last event for the other one", stays.all()[-1].type, "run.cancelled")


def a_broken_file_leaves_the_keys_as_they_are(host):
    """It is told on standard error, once."""
    with _file_as_it_was(host):
        _put(host, "{")
        told = "the keys are as before, since their file cannot be read"
        eventually("it is told", lambda: told in host.last_words())
        host.client.get("/v1/runs").expect(200)
        time.sleep(2.5)  # it is looked at twice meanwhile
        errors = (host.folder / "errors.txt").read_text(encoding="utf-8")
        equal("how often it is told", errors.count(told), 1)

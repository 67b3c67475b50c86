"""Requests and their answers. Every refusal is held against the error envelope."""

import http.client
import json

from harness.check import Failed, ensure, parse, show

# What nobody outside is told.
INTERNALS = (".cpp", ".hpp", "boost", "std::", "terminate called")


def _joined(headers):
    """By lower-case names; what is there twice is joined by a comma, as a proxy might."""
    made = {}
    for name, value in headers:
        name = name.lower()
        made[name] = f"{made[name]}, {value}" if name in made else value
    return made


class Answer:
    def __init__(self, asked, status, headers, body):
        self.asked, self.status, self.headers, self.body = asked, status, headers, body

    def __str__(self):
        return f"{self.asked} -> {self.status} {show(self.body.decode('utf-8', 'replace'))}"

    @property
    def json(self):
        kind = self.headers.get("content-type", "")
        ensure(kind.split(";")[0].strip() == "application/json",
               f"{self}: Content-Type is {kind!r} instead of application/json")
        return parse(self.body, str(self))

    def expect(self, *statuses):
        """This answer, which must have one of these statuses."""
        ensure(self.status in statuses,
               f"{self}: expected status {' or '.join(map(str, statuses))}")
        return self

    def refused(self, statuses, codes=()):
        """The error; statuses and codes are one or several that may be."""
        self.expect(*(statuses if isinstance(statuses, tuple) else (statuses,)))
        wanted = codes if isinstance(codes, tuple) else (codes,)
        error = self.json
        ensure(not wanted or error["error"] in wanted,
               f"{self}: expected error {' or '.join(wanted)}")
        return error


def check_envelope(answer, secrets):
    """Exactly {error, message, details?}, and nothing of the server's inside."""
    error = answer.json
    ensure(isinstance(error, dict), f"{answer}: expected an error's object")
    ensure(set(error) <= {"error", "message", "details"},
           f"{answer}: OpenWOP's envelope has error, message, details, and no other member")
    for name in ("error", "message"):
        ensure(isinstance(error.get(name), str) and error[name],
               f"{answer}: in OpenWOP's envelope, {name} is a text that is not empty")
    ensure(isinstance(error.get("details", {}), dict),
           f"{answer}: in OpenWOP's envelope, details is an object or absent")
    correlation = error.get("details", {}).get("correlationId", "-")
    ensure(isinstance(correlation, str) and correlation,
           f"{answer}: details.correlationId must be a text that is not empty")
    text = answer.body.decode("utf-8", "replace")
    for inside in (*INTERNALS, *secrets):
        ensure(inside not in text, f"{answer}: tells {inside!r}, which nobody outside is told")


class Client:
    """Sends requests with one key, or with none. Each has a connection of its own."""

    def __init__(self, host, key=None):
        self.host, self.key = host, key

    def connect(self, timeout):
        return http.client.HTTPConnection("127.0.0.1", self.host.port, timeout=timeout)

    def send(self, connection, method, path, body=None, headers=None):
        """Sends a request; a body that is no bytes is sent as JSON."""
        given = dict(headers or {})
        if self.key is not None:
            given.setdefault("Authorization", f"Bearer {self.key}")
        if body is not None:
            given.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, body=body, headers=given)

    def request(self, method, path, body=None, headers=None, timeout=120):
        shown = show(repr(body) if isinstance(body, bytes) else body)
        asked = f"{method} {path}" + ("" if body is None else f" {shown}")
        connection = self.connect(timeout)
        try:
            self.send(connection, method, path, body, headers)
            got = connection.getresponse()
            answer = Answer(asked, got.status, _joined(got.getheaders()),
                            got.read())
        except (OSError, http.client.HTTPException) as wrong:
            raise Failed(f"{asked}: no answer: {wrong!r}{self.host.last_words()}") from None
        finally:
            connection.close()
        self.host.record(method, path, body, answer)
        # convene's own API, with its own errors
        is_session = path.startswith(("/v1/sessions", "/v1/requests", "/v1/webhooks"))
        if answer.status >= 300 and method != "HEAD" and not is_session:
            check_envelope(answer, self.host.secrets)
        return answer

    def get(self, path, headers=None, **how):
        return self.request("GET", path, headers=headers, **how)

    def post(self, path, body=None, headers=None, **how):
        return self.request("POST", path, body, headers, **how)

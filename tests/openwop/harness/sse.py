"""Server-sent events, read as the HTML standard says."""

import http.client
import time
from dataclasses import dataclass

from harness.check import Failed, ensure, equal, parse, show


@dataclass
class Message:
    id: str
    type: str
    data: str
    data_lines: int

    @property
    def json(self):
        return parse(self.data, f"data of the message {self.id} {self.type}")


class Parser:
    """Takes bytes in any pieces and gives the messages that are whole."""

    def __init__(self):
        self.rest = b""
        self.comments = 0
        self.last_id = ""
        self.fields = {}

    def feed(self, some):
        *lines, self.rest = (self.rest + some).split(b"\n")
        made = []
        for line in lines:
            line = line.removesuffix(b"\r").decode()
            if line:
                self.take(line)
            elif self.fields:
                if "data" in self.fields:
                    data = self.fields["data"]
                    made.append(Message(self.last_id, self.fields.get("event", ["message"])[-1],
                                        "\n".join(data), len(data)))
                self.fields = {}
        return made

    def take(self, line):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "":
            self.comments += 1
        elif name == "id":
            self.last_id = value
        elif name in ("event", "data", "retry"):
            self.fields.setdefault(name, []).append(value)
        else:
            raise Failed(f"a line of no known field in a stream: {show(line)}")


class Stream:
    """Reads the events of a run. Use it in a `with`: at its end the client goes away."""

    def __init__(self, run, query="", last_id=None, client=None, timeout=120, headers=None):
        client = client or run.client
        given = {"Accept": "text/event-stream", **(headers or {})}
        if last_id is not None:
            given["Last-Event-ID"] = str(last_id)
        self.asked = f"GET {run.path}/events{query} (Last-Event-ID {last_id})"
        self.end = time.monotonic() + timeout
        self.connection = client.connect(timeout)
        client.send(self.connection, "GET", f"{run.path}/events{query}", headers=given)
        self.response = self.connection.getresponse()
        self.parser = Parser()
        self.ready = []
        if self.response.status != 200:
            body = self.response.read()
            self.connection.close()
            raise Failed(f"{self.asked} -> {self.response.status} {show(body.decode())}")
        kind = self.response.headers.get_content_type()
        equal(f"{self.asked}: Content-Type", kind, "text/event-stream")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.response.close()
        self.connection.close()

    def piece(self):
        """The next bytes; empty: the server has closed the stream."""
        left = self.end - time.monotonic()
        ensure(left > 0, f"{self.asked}: the stream goes on too long")
        if self.connection.sock is not None:
            self.connection.sock.settimeout(left)
        return self.response.read1(65536)

    def next(self):
        """The next message, or nothing if the server has closed the stream."""
        while not self.ready:
            try:
                some = self.piece()
            except TimeoutError:
                raise Failed(f"{self.asked}: nothing more came, and no end; "
                             f"the last id is {self.parser.last_id!r}") from None
            except (OSError, http.client.HTTPException) as wrong:
                raise Failed(f"{self.asked}: the stream broke: {wrong!r}") from None
            if not some:
                ensure(not self.parser.rest and not self.parser.fields,
                       f"{self.asked}: the stream ends in the middle of a message:",
                       self.parser.rest.decode("utf-8", "replace"))
                return None
            self.ready += self.parser.feed(some)
        return self.ready.pop(0)

    def all(self):
        """All messages until the server closes the stream."""
        return list(iter(self.next, None))

    def until(self, matches):
        """The messages up to the first that matches."""
        seen = []
        while True:
            message = self.next()
            ensure(message is not None, f"{self.asked}: ended before what was waited for; types:",
                   [each.type for each in seen])
            seen.append(message)
            if matches(message):
                return seen


def events_of(messages):
    """The run events of messages of single events, whose frames are checked."""
    made = []
    for each in messages:
        event = each.json
        equal("data of a message is one line", each.data_lines, 1)
        equal("id of a message is the event's sequence", each.id, str(event.get("sequence")))
        equal("event of a message is the event's type", each.type, event.get("type"))
        made.append(event)
    return made

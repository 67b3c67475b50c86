"""A service that a session's participants are answered by: it hears requests, signed, and says what
it is told to say."""

import contextlib
import hashlib
import hmac
import http.server
import json
import queue
import threading


class Service:
    """`answer` gets each call, {"headers", "body", "json"}, and returns a status and a value."""

    def __init__(self, answer):
        self.calls = queue.Queue()
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802, the name that the library looks for
                body = self.rfile.read(int(self.headers["Content-Length"]))
                call = {"headers": {k.lower(): v for k, v in self.headers.items()},
                        "body": body, "json": json.loads(body)}
                service.calls.put(call)
                status, value = answer(call)
                text = b"" if value is None else json.dumps(value).encode()
                with contextlib.suppress(ConnectionError):  # the call may have been given up
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/turn"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def next(self):
        """The next call, which comes soon."""
        return self.calls.get(timeout=120)


def signature_of(secret, call):
    """What X-Convene-Signature of a call has to be."""
    text = call["headers"].get("x-convene-timestamp", "").encode() + b"." + call["body"]
    return "sha256=" + hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()

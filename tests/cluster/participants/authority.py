"""Certificates of nodes, and a node that answers falsely."""

import contextlib
import hashlib
import hmac
import http.server
import json
import pathlib
import ssl
import subprocess
import threading

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def openssl(*words):
    subprocess.run(["openssl", *words], capture_output=True, check=True, timeout=60)


class Authority:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / "ca"
        self.folder.mkdir(parents=True)
        self.number = 0
        openssl("req", "-x509", *KEY, "-days", "2", "-subj", "/CN=cluster", "-keyout", self.folder / "ca.key", "-out",
                self.folder / "ca.pem")

    def issue(self, name, days=1):
        """Certificate, key and CA, as --peer-tls has them; expired with days below 0."""
        self.number += 1
        at = self.folder / f"{name}-{self.number}"
        key, request, more, made = (f"{at}.{end}" for end in ("key", "csr", "ext", "pem"))
        openssl("req", *KEY, "-subj", "/CN=" + name, "-keyout", key, "-out", request)
        pathlib.Path(more).write_text("subjectAltName=DNS:" + name)
        pathlib.Path(key).chmod(0o600)
        openssl("x509", "-req", "-in", request, "-CA", self.folder / "ca.pem", "-CAkey", self.folder / "ca.key",
                "-CAcreateserial", "-days", str(days), "-extfile", more, "-out", made)
        return f"{made},{key},{self.folder / 'ca.pem'}"

    @contextlib.contextmanager
    def false_node(self, world, name, lie):
        """Is listed in the database, takes participants, and answers their turns with a lie."""
        certificate, key, ca = self.issue(name).split(",")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.load_verify_locations(ca)
        context.verify_mode = ssl.CERT_REQUIRED
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(lie))
        server.daemon_threads = True
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        world.database.rows(
            "INSERT INTO convene_cluster.nodes SELECT (jsonb_populate_record(n, jsonb_build_object('name', "
            f"'{name}', 'boot_id', gen_random_uuid(), 'peer_address', "
            f"'https://127.0.0.1:{server.server_address[1]}', 'lease_until', clock_timestamp() + interval '1 h'))).* "
            "FROM convene_cluster.nodes n LIMIT 1")
        try:
            yield name
        finally:
            server.shutdown()
            world.database.rows(f"DELETE FROM convene_cluster.nodes WHERE name = '{name}'")


def signed(key, token, number, text):
    covered = f"{token} {number} {text}".encode()
    return hmac.new(key.encode(), covered, hashlib.sha256).hexdigest() + " " + text + "\n"


def handler_of(lie):
    keys = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, status, body):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):  # noqa: N802
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/v1/participants":
                keys.append(body["key"])
                return self.answer(201, b'{"participant": "0123456789abcdef"}')
            token = body["request"]["token"]
            text = json.dumps({"answer": {"status": "completed", "content": "forged"}})
            lines = {"unsigned": text + "\n",
                     "other_turn": signed(keys[-1], token[:-1] + ("0" if token[-1] != "0" else "1"), 0, text),
                     "garbage": signed(keys[-1], token, 0, "{"),
                     "too_long": "x" * (9 << 20),
                     "silent_end": ""}
            return self.answer(200, lines[lie].encode())

        def do_DELETE(self):  # noqa: N802
            self.answer(204, b"")

        def log_message(self, *_):
            pass

    return Handler

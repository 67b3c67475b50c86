"""A node that others reach, and a peer that talks to its peer port as it likes."""

import json
import socket
import ssl
import subprocess
import urllib.request

from node import Node


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class PeerNode(Node):
    def __init__(self, world, name, more, lease):
        super().__init__(world.program, world.database, world.folder, name, lease)
        self.more, self.files, self.port = more, world.authority.issue(name), free_port()

    @property
    def peer_url(self):
        return f"https://127.0.0.1:{self.port}"

    def start(self):
        with open(f"{self.data}.err", "ab") as err:
            self.process = subprocess.Popen(
                [self.program, "serve", "--listen", "127.0.0.1:0", "--data", self.data, "--cluster", self.database.url,
                 "--node", self.name, "--lease", str(self.lease), "--peer-listen", f"127.0.0.1:{self.port}",
                 "--peer-tls", self.files, *self.more], stdout=subprocess.PIPE, stderr=err, text=True)
        line = self.process.stdout.readline()
        assert "listening on" in line, f"node {self.name} did not start: {self.errors()}"
        self.url = line.split()[-1]
        return self

    def create(self, scenario):
        """A session of this node, wherever others would begin."""
        status, made = self.call("POST", f"/v1/sessions?node={self.name}", {"scenario": scenario})
        assert status == 201, f"{status}: {made}"
        return made["session_id"]

    def metric(self, name):
        with urllib.request.urlopen(self.url + "/metrics", timeout=30) as answer:
            for line in answer.read().decode().splitlines():
                if line.startswith(name + " "):
                    return float(line.split()[-1])
        raise AssertionError(f"node {self.name} has no number {name}")


class Peer:
    """With files: TLS with this certificate ("none": without one). Without: no TLS."""

    def __init__(self, node, files):
        self.node, self.files = node, files

    def connect(self):
        plain = socket.create_connection(("127.0.0.1", self.node.port), timeout=10)
        if self.files is None:
            return plain
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if self.files != "none":
            certificate, key, _ = self.files.split(",")
            context.load_cert_chain(certificate, key)
        return context.wrap_socket(plain)

    def talk(self, sent):
        """What comes back until the end, or for two seconds."""
        got = b""
        try:
            with self.connect() as to:
                to.settimeout(2)
                to.sendall(sent)
                while part := to.recv(4096):
                    got += part
        except OSError:
            pass  # refused, cut or silent
        return got

    def can_talk(self):
        return self.talk(b"GET /healthz HTTP/1.1\r\nHost: " + self.node.name.encode() + b"\r\nConnection: close\r\n\r\n"
                         ).startswith(b"HTTP/1.1 200")

    def post(self, path, body):
        head = (f"POST {path} HTTP/1.1\r\nHost: {self.node.name}\r\nConnection: close\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
        got = self.talk(head.encode() + body)
        line, _, rest = got.partition(b"\r\n")
        text = rest.partition(b"\r\n\r\n")[2]
        return int(line.split()[1]) if line else 0, json.loads(text) if text.startswith(b"{") else None

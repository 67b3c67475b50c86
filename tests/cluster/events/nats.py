"""A NATS server in a folder, a client of it, and servers that only look like one."""

import base64
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time


def program():
    return shutil.which("nats-server") or (
        "/usr/sbin/nats-server" if pathlib.Path("/usr/sbin/nats-server").exists() else None)


def free_port():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


class Nats:
    def __init__(self, folder, more=""):
        self.folder, self.port, self.more = pathlib.Path(folder), free_port(), more
        self.folder.mkdir()
        self.process = None
        self.start()

    def start(self):
        config = self.folder / "config"
        config.write_text(f'listen: "127.0.0.1:{self.port}"\njetstream {{ store_dir: "{self.folder}/store" }}\n{self.more}\n')
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([program(), "-c", config], stdout=log, stderr=log)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError((self.folder / "log").read_text()) from None
                time.sleep(0.02)

    def end(self, number=signal.SIGKILL):
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait()

    def url(self, stream):
        return f"nats://127.0.0.1:{self.port}/{stream}"


class Client:
    """Asks JetStream; without TLS."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), 10)
        self.file = self.socket.makefile("rb")
        self.file.readline()
        self.socket.sendall(b'CONNECT {"verbose":false,"headers":true}\r\nSUB inbox 1\r\n')

    def ask(self, subject, body=None):
        text = b"" if body is None else json.dumps(body).encode()
        self.socket.sendall(f"PUB {subject} inbox {len(text)}\r\n".encode() + text + b"\r\n")
        while True:
            words = self.file.readline().split()
            if words[0] == b"PING":
                self.socket.sendall(b"PONG\r\n")
            elif words[0] == b"MSG":
                answer = self.file.read(int(words[-1]) + 2)
                return json.loads(answer)

    def info(self, stream):
        return self.ask(f"$JS.API.STREAM.INFO.{stream}")

    def create(self, stream, **more):
        return self.ask(f"$JS.API.STREAM.CREATE.{stream}",
                        {"name": stream, "subjects": [stream + ".>"], "storage": "file", **more})

    def messages(self, stream):
        """All messages: subject, headers and body."""
        state = self.info(stream).get("state", {"first_seq": 1, "last_seq": 0})
        found = []
        for number in range(max(1, state["first_seq"]), state["last_seq"] + 1):
            one = self.ask(f"$JS.API.STREAM.MSG.GET.{stream}", {"seq": number})["message"]
            lines = base64.b64decode(one["hdrs"]).decode().split("\r\n")
            headers = dict(line.split(": ", 1) for line in lines if ": " in line)
            found.append((one["subject"], headers, base64.b64decode(one["data"]).decode()))
        return found

    def close(self):
        self.socket.close()


class Pretender:
    """Accepts connections, and sends each of them some bytes."""

    def __init__(self, says):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.says, self.accepted = says, []
        threading.Thread(target=self.serve, daemon=True).start()

    def url(self, stream):
        return f"nats://127.0.0.1:{self.port}/{stream}"

    def serve(self):
        try:
            while True:
                made, _ = self.listener.accept()
                self.accepted.append(made)
                threading.Thread(target=self.speak, args=(made,), daemon=True).start()
        except OSError:
            pass  # closed

    def speak(self, to):
        try:
            self.says(to)
        except OSError:
            pass  # the client has left

    def close(self):
        self.listener.close()
        for each in self.accepted:
            each.close()

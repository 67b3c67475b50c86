"""A PostgreSQL server in a temporary folder, without syncing; as root it runs as another user."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import time


def programs():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"),
                   key=lambda each: int(each.parts[-3]))
    return found[-1].parent if found else None


class Database:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.user = None
        if os.geteuid() == 0:
            names = [each.pw_name for each in pwd.getpwall()]
            self.user = "postgres" if "postgres" in names else "nobody"
            shutil.chown(self.folder, self.user)
        self.data = self.folder / "data"
        self.run("initdb", "-D", self.data, "-U", "cluster", "--auth=trust", "-N", "-E", "UTF8", "--locale=C")
        self.process = None
        self.start()

    def run(self, name, *words):
        done = subprocess.run([programs() / name, *words], user=self.user, cwd=self.folder, capture_output=True,
                              text=True, timeout=120, check=False)
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stdout}{done.stderr}")
        return done.stdout

    def start(self):
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [programs() / "postgres", "-D", self.data, "-k", self.folder, "-c", "listen_addresses=", "-c",
                 "fsync=off", "-c", "shared_buffers=16MB"], user=self.user, cwd=self.folder, stdout=log, stderr=log)
        while "ready" not in self.text(self.data / "postmaster.pid"):
            if self.process.poll() is not None:
                raise RuntimeError("PostgreSQL does not start: " + self.text(self.folder / "log"))
            time.sleep(0.02)

    def kill(self):
        """As a crash of its machine."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    @staticmethod
    def text(file):
        return file.read_text(errors="replace") if file.exists() else ""

    @property
    def url(self):
        return f"postgres:///postgres?host={self.folder}&user=cluster"

    def rows(self, sql):
        out = self.run("psql", "-XAtq", "-d", self.url, "-c", sql)
        return [line.split("|", 2) for line in out.splitlines()]

    def lines(self, session):
        """The session's events, in order."""
        found = self.rows("SELECT place, epoch, line FROM convene_cluster.events "
                          f"WHERE session_id = '{session}' ORDER BY place")
        assert [int(each[0]) for each in found] == list(range(1, len(found) + 1)), "places have gaps"
        epochs = [int(each[1]) for each in found]
        assert epochs == sorted(epochs), "epochs fall"
        return [each[2] for each in found]

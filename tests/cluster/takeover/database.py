"""A PostgreSQL server in a temporary folder; as root it runs as another user."""

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
    def __init__(self, folder, address="", port=5432, syncs=False):
        """With an address, everybody who reaches it is let in."""
        self.options = [] if syncs else ["-c", "fsync=off", "-c", "shared_buffers=16MB"]
        self.folder, self.address, self.port = pathlib.Path(folder), address, port
        self.folder.mkdir()
        self.user = None
        if os.geteuid() == 0:
            names = [each.pw_name for each in pwd.getpwall()]
            self.user = "postgres" if "postgres" in names else "nobody"
            shutil.chown(self.folder, self.user)
        self.data = self.folder / "data"
        self.run("initdb", "-D", self.data, "-U", "cluster", "--auth=trust", "-N", "-E", "UTF8", "--locale=C")
        if address:
            with open(self.data / "pg_hba.conf", "a", encoding="ascii") as hosts:
                hosts.write("host all all 0.0.0.0/0 trust\n")
        self.process = None
        self.start()

    def run(self, name, *words):
        done = subprocess.run([programs() / name, *words], user=self.user, cwd=self.folder, capture_output=True,
                              text=True, timeout=120, check=False)
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stdout}{done.stderr}")
        return done.stdout

    def start(self):
        until = time.monotonic() + 30
        while not self.has_started():
            # After a kill -9, until its backends have noticed.
            if "still in use" not in self.text(self.folder / "log")[-500:] or time.monotonic() > until:
                raise RuntimeError("PostgreSQL does not start: " + self.text(self.folder / "log"))
            time.sleep(0.05)

    def has_started(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [programs() / "postgres", "-D", self.data, "-k", self.folder, "-c",
                 f"listen_addresses={self.address}", "-p", str(self.port), *self.options],
                user=self.user, cwd=self.folder, stdout=log, stderr=log)
        while self.process.poll() is None:
            said = self.text(self.data / "postmaster.pid").split()
            if said and said[0] == str(self.process.pid) and said[-1] == "ready":
                return True
            time.sleep(0.02)
        return False

    def kill(self, number=signal.SIGQUIT):
        """As a crash of its machine, unless the signal is another one."""
        self.process.send_signal(number)
        self.process.wait()

    def kill_backend(self, rng):
        """One of a client's; then PostgreSQL ends all of them and recovers."""
        found = self.rows("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
                          "AND pid <> pg_backend_pid() ORDER BY pid")
        if found:
            os.kill(int(rng.choice(found)[0]), signal.SIGKILL)

    @staticmethod
    def text(file):
        return file.read_text(errors="replace") if file.exists() else ""

    @property
    def url(self):
        return f"postgres:///postgres?host={self.folder}&port={self.port}&user=cluster"

    def rows(self, sql, columns=3):
        until = time.monotonic() + 30
        while True:
            try:
                out = self.run("psql", "-XAtq", "-d", self.url, "-c", sql)
                return [line.split("|", columns - 1) for line in out.splitlines()]
            except RuntimeError as failed:  # it recovers
                if "connection to server" not in str(failed) or time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def lines(self, session):
        """The session's events, in order."""
        found = self.rows("SELECT place, epoch, line FROM convene_cluster.events "
                          f"WHERE session_id = '{session}' ORDER BY place")
        assert [int(each[0]) for each in found] == list(range(1, len(found) + 1)), "places have gaps"
        epochs = [int(each[1]) for each in found]
        assert epochs == sorted(epochs), "epochs fall"
        return [each[2] for each in found]

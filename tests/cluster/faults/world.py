"""A database and three nodes of a cluster, each in a namespace of its own."""

import glob
import os
import pathlib
import subprocess
import time

import network
from database import Database
from node import Node
from proxy import Proxy

DATABASE_PORT, CLIENT_PORT, PEER_PORT = 5432, 8080, 8443
LEASE = 2

# What ownership was granted, and when: under the lock that appends wait for.
OBSERVER = """
CREATE TABLE public.grants (session_id uuid, epoch bigint, length bigint, began timestamptz, ended timestamptz);
CREATE FUNCTION public.note_grant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO public.grants VALUES (new.session_id, new.epoch, (SELECT coalesce(max(place), 0)
    FROM convene_cluster.events e WHERE e.session_id = new.session_id), statement_timestamp(), clock_timestamp());
  RETURN NULL; END $$;
CREATE TRIGGER begun AFTER INSERT ON convene_cluster.owners FOR EACH ROW EXECUTE FUNCTION public.note_grant();
CREATE TRIGGER taken AFTER UPDATE ON convene_cluster.owners FOR EACH ROW WHEN (old.epoch <> new.epoch)
  EXECUTE FUNCTION public.note_grant();
ALTER TABLE convene_cluster.events ADD COLUMN began timestamptz DEFAULT statement_timestamp();
"""


def faketime():
    found = sorted(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1"))
    return found[0] if found else None


def certificates(folder, names):
    """Of a CA for the cluster; valid from long ago, since nodes' clocks move."""
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    def openssl(*words):
        network.run("faketime", "-f", "-30d", "openssl", *words)

    openssl("req", "-x509", *new_key, "-days", "60", "-subj", "/CN=cluster", "-keyout", folder / "ca.key", "-out",
            folder / "ca.pem")
    for name in names:
        made = folder / name
        openssl("req", *new_key, "-subj", "/CN=" + name, "-keyout", f"{made}.key", "-out", f"{made}.csr")
        pathlib.Path(f"{made}.ext").write_text("subjectAltName=DNS:" + name)
        openssl("x509", "-req", "-in", f"{made}.csr", "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key",
                "-CAcreateserial", "-days", "60", "-extfile", f"{made}.ext", "-out", f"{made}.pem")


class PlacedNode(Node):
    """A node in a namespace, with a clock that can be moved; some reach the database through a proxy."""

    def __init__(self, world, name, has_proxy):
        super().__init__(world.program, world.database, world.folder, name, LEASE)
        self.world = world
        self.place = world.network.place()
        self.url = f"http://{self.place.address}:{CLIENT_PORT}"
        self.headers = {"Authorization": "Bearer " + world.key}
        self.port = DATABASE_PORT
        self.proxy = None
        if has_proxy:
            self.port = DATABASE_PORT + len(world.network.places)
            self.proxy = Proxy(network.OWN, self.port, network.OWN, DATABASE_PORT)
        self.clock = world.folder / (name + ".clock")
        self.move_clock(0)

    def move_clock(self, seconds):
        changed = pathlib.Path(f"{self.clock}.new")
        changed.write_text(f"{seconds:+d}s\n")
        changed.rename(self.clock)

    def start(self):
        at, folder = self.place.address, self.world.folder
        files = ",".join(str(folder / each) for each in (self.name + ".pem", self.name + ".key", "ca.pem"))
        clock = {"LD_PRELOAD": faketime(), "FAKETIME_TIMESTAMP_FILE": str(self.clock), "FAKETIME_NO_CACHE": "1",
                 "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        with open(f"{self.data}.err", "ab") as err:
            self.process = subprocess.Popen(
                [*self.place.enter, self.program, "serve", "--listen", f"{at}:{CLIENT_PORT}", "--data", self.data,
                 "--keys", folder / "keys.json", "--cluster",
                 f"postgres://cluster@{network.OWN}:{self.port}/postgres", "--node", self.name, "--lease", str(LEASE),
                 "--peer-listen", f"{at}:{PEER_PORT}", "--peer-tls", files],
                stdout=subprocess.PIPE, stderr=err, text=True, env={**os.environ, **clock})
        line = self.process.stdout.readline()
        if "listening on" not in line:
            self.process.stdout.close()
            code = self.process.wait()
            raise RuntimeError(f"node {self.name} did not start: exit code {code}: {self.errors()[-500:]}")
        return self

    def start_again(self):
        """The database may be away for some time."""
        until = time.monotonic() + 60
        while True:
            try:
                return self.start()
            except RuntimeError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)


class World:
    def __init__(self, program, folder, net, rng):
        self.program, self.folder, self.network = program, pathlib.Path(folder), net
        self.nodes, self.database = [], None
        certificates(self.folder, "abc")
        self.key = subprocess.run([program, "keys", "new", "--file", self.folder / "keys.json", "--scope", "admin"],
                                  capture_output=True, text=True, check=True).stdout.strip()
        self.database = Database(self.folder / "database", network.OWN, DATABASE_PORT)
        proxied = rng.choice("abc")
        for name in "abc":
            self.nodes.append(PlacedNode(self, name, name == proxied))
            self.nodes[-1].start()
            if name == "a":
                self.database.rows(OBSERVER)

    def drop_from(self, node, *rule):
        """Drops, before PostgreSQL and clients get it, what a node sends."""
        return network.drop((), "-s", node.place.address, *rule)

    def end(self):
        for each in self.nodes:
            if each.process and each.process.poll() is None:
                each.process.kill()
                each.process.wait()
            if each.proxy:
                each.proxy.end()
        if self.database and self.database.process.poll() is None:
            self.database.kill()

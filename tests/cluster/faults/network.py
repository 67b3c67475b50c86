"""A network of namespaces: one for this process and PostgreSQL, one for each node, all on a bridge. It ends with the
processes that hold it; nothing outside of it is changed."""

import ctypes
import os
import shutil
import subprocess

PREFIX = "10.77.0."
OWN = PREFIX + "1"
NEW_NETWORK = 0x40000000
PROGRAMS = ["ip", "iptables", "nsenter", "setpriv", "tc", "unshare"]


def why_not():
    """What is missing; empty: nothing."""
    if os.geteuid() != 0:
        return "network namespaces need root: run it with sudo"
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [each for each in PROGRAMS if shutil.which(each) is None]
    return f"{', '.join(missing)}: not installed (packages iproute2, iptables, util-linux)" if missing else ""


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")


def drop(enter, *rule):
    """Drops what fits; the result ends that."""
    run(*enter, "iptables", "-w", "-A", "INPUT", *rule, "-j", "DROP")
    return lambda: run(*enter, "iptables", "-w", "-D", "INPUT", *rule, "-j", "DROP")


class Network:
    """`enter`: the words before a command that is to run in it."""
    enter = ()

    def __init__(self):
        if ctypes.CDLL(None, use_errno=True).unshare(NEW_NETWORK) != 0:
            raise RuntimeError(f"unshare: {os.strerror(ctypes.get_errno())}")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "bridge0", "type", "bridge")
        run("ip", "addr", "add", OWN + "/24", "dev", "bridge0")
        run("ip", "link", "set", "bridge0", "up")
        self.places = []

    def place(self):
        made = Place(len(self.places) + 2)
        self.places.append(made)
        return made

    def end(self):
        for each in self.places:
            each.holder.kill()
            each.holder.wait()


class Place:
    """A namespace with one link to the bridge."""

    def __init__(self, number):
        self.address = PREFIX + str(number)
        self.outside = f"node{number}"
        self.holder = subprocess.Popen(["unshare", "-n", "setpriv", "--pdeathsig", "KILL", "sh", "-c",
                                        "echo; exec sleep infinity"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL)
        self.holder.stdout.readline()
        run("ip", "link", "add", self.outside, "type", "veth", "peer", "name", "eth0", "netns", str(self.holder.pid))
        run("ip", "link", "set", self.outside, "master", "bridge0", "up")
        self.run("ip", "link", "set", "lo", "up")
        self.run("ip", "addr", "add", self.address + "/24", "dev", "eth0")
        self.run("ip", "link", "set", "eth0", "up")

    @property
    def enter(self):
        return ["nsenter", "-t", str(self.holder.pid), "-n"]

    def run(self, *words):
        run(*self.enter, *words)

    def slow(self, kbit):
        self.run("tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", f"{kbit}kbit", "burst", "16kbit", "latency",
                 "400ms")
        return lambda: self.run("tc", "qdisc", "del", "dev", "eth0", "root")

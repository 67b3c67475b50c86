#!/usr/bin/env python3
"""Fails if a file includes what its room may not know of.

A room is a folder whose CMakeLists.txt calls convene_room(); what its USES and
PRIVATE_USES name is what it may include, and nothing else, not even what comes
along with them. A header may include only what is in USES, so that a target
that links the room finds all of its headers' headers. The lists themselves must
keep to the layers below, without a cycle, and name nothing that no file needs.

With --rooms, prints each room and what it is for; with --self-test, checks that
the check can fail.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The layers, as far as a machine can check them: what the rooms of each may use
# besides their own layer, and whether they may know CAF.
LAYERS = {
    "schemas": ([], False),
    "protocol": (["schemas"], False),
    "session": (["protocol"], False),
    "modes": (["session", "protocol"], False),
    "actors": (["session", "protocol"], True),
    "runtime": (["actors", "modes", "session", "protocol", "schemas"], True),
    "bindings": (["lab", "runtime", "actors", "session", "protocol", "schemas"], False),
    "server": (["runtime", "actors", "session", "protocol", "schemas"], False),
    "lab": (["server", "runtime", "actors", "modes", "session", "protocol", "schemas"], False),
    "integrations": (["server", "runtime", "session", "protocol", "schemas"], False),
    "cli": (["integrations", "lab", "server", "runtime", "session", "protocol", "schemas"], False),
}
# The neighborhoods of runtime/, lowest first; its other rooms stand above them.
NEIGHBORHOODS = ["runtime/log", "runtime/outside", "runtime/data"]
# What an application includes compiles without these.
NOT_IN_PUBLIC = ("caf/", "simdjson", "curl/", "openssl/", "sqlite3", "git2",
                 "libpq", "yaml.h", "prometheus/", "boost/asio", "boost/beast")
PUBLIC = ROOT / "cmake/public_headers.txt"
# Folders whose code is in no C++ library that is installed.
NOT_INSTALLED = ("bindings/", "lab/load/", "lab/mock_endpoint/", "lab/mock_model/",
                 "integrations/", "cli/")
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"](?:(convene)/)?([^>"]+)[>"]')
# Which target stands for an include from outside.
OUTSIDE = {"caf/": "CAF::core", "re2/": "PkgConfig::RE2",
           "simdjson": "simdjson::simdjson", "boost/json": "Boost::json",
           "boost/asio": "Boost::headers", "boost/beast": "Boost::headers",
           "boost/math": "Boost::headers",
           "openssl/ssl": "OpenSSL::SSL", "openssl/": "OpenSSL::Crypto",
           "prometheus/": "PkgConfig::PROMETHEUS",
           "seccomp.h": "PkgConfig::SECCOMP",
           "CLI/": "CLI11::CLI11", "spdlog/": "spdlog::spdlog",
           "fmt/": "fmt::fmt", "curl/": "CURL::headers",
           "sqlite3": "SQLite::headers", "git2": "LIBGIT2::headers",
           "libpq": "LIBPQ::headers", "yaml.h": "LIBYAML::headers",
           "nats/": "LIBNATS::headers"}


class Room:
    def __init__(self, name, uses, private_uses, caf):
        self.name, self.caf = name, caf
        self.uses, self.private_uses = set(uses), set(private_uses)

    @property
    def layer(self):
        return self.name.split("/")[0]


def height(name):
    """How high a room of runtime/ stands among the neighborhoods."""
    for number, folder in enumerate(NEIGHBORHOODS):
        if (name + "/").startswith(folder + "/"):
            return number
    return len(NEIGHBORHOODS)


def parse_room(name, text):
    """The room that a CMakeLists.txt declares, or None."""
    call = re.search(r"convene_room\(([^)]*)\)", text)
    if not call:
        return None
    lists = collections.defaultdict(list)
    word = None
    for token in call[1].split():
        if token in ("CAF", "COLD"):
            lists[token] = [token]
        elif token in ("UNIT", "SOURCES", "USES", "PRIVATE_USES"):
            word = token
        else:
            lists[word].append(token)
    return Room(name, lists["USES"], lists["PRIVATE_USES"], bool(lists["CAF"]))


def complaint(room, rooms, path, line):
    """What is wrong with one line of a room's file, or None; and what the line
    needs of the room's lists, or None."""
    found = INCLUDE.match(line)
    if not found:
        return None, None
    ours, target = found.groups()
    if ours:
        needed = target.rpartition("/")[0]
        if needed == room.name:
            return None, None
        if needed not in rooms:
            return f"<convene/{target}> is in no room", None
    else:
        needed = next((t for start, t in OUTSIDE.items()
                       if target.startswith(start)), None)
        if needed is None:
            return None, None
        if needed == "CAF::core" and not room.caf:
            return f"{room.name} may not know CAF", None
    if needed in room.uses:
        return None, needed
    if needed in room.private_uses:
        if path.endswith(".hpp"):
            return f"a header needs {needed} in USES of {room.name}", needed
        return None, needed
    return f"{room.name} does not use {needed}", needed


def check_lists(rooms):
    """What is wrong with the lists themselves."""
    for room in rooms.values():
        for other in sorted(room.uses | room.private_uses):
            if "::" in other:
                continue
            if other not in rooms:
                yield f"{room.name}: there is no room {other}"
            elif rooms[other].layer not in [room.layer, *LAYERS[room.layer][0]]:
                yield f"{room.name} may not use {other}: it is above"
            elif room.layer == rooms[other].layer == "runtime" \
                    and height(other) > height(room.name):
                yield f"{room.name} may not use {other}: it is above"
    done = set()

    def visit(name, path):
        if name in path:
            yield "a cycle: " + " -> ".join([*path[path.index(name):], name])
        elif name not in done and name in rooms:
            for other in sorted(rooms[name].uses | rooms[name].private_uses):
                yield from visit(other, [*path, name])
            done.add(name)

    for name in sorted(rooms):
        yield from visit(name, [])


def check_public(root, header, seen, path):
    """Headers of an application, with all that they include."""
    if header in seen:
        return
    seen.add(header)
    if not (root / header).exists():
        yield f"there is no public header {header}"
        return
    if header.startswith(NOT_INSTALLED):
        yield f"{header} is public, but its code is in no library"
    for line in (root / header).read_text().splitlines():
        found = INCLUDE.match(line)
        if not found:
            continue
        if found[1]:
            yield from check_public(root, found[2], seen, [*path, header])
        elif found[2].startswith(NOT_IN_PUBLIC):
            yield (f"an application sees <{found[2]}>: "
                   + " -> ".join([*path, header]))


def check(root):
    rooms = {}
    for layer in LAYERS:
        for file in sorted((root / layer).rglob("CMakeLists.txt")):
            name = file.parent.relative_to(root).as_posix()
            if room := parse_room(name, file.read_text()):
                rooms[name] = room
    yield from check_lists(rooms)
    for layer in LAYERS:
        for file in sorted((root / layer).rglob("*.[ch]pp")):
            name = file.relative_to(root).as_posix()
            folder = name.rpartition("/")[0]
            # The program itself, and what is built apart, over the C API alone.
            if folder in ("cli", "bindings/node/addon"):
                continue
            if folder not in rooms:
                yield f"{name} is in no room: its folder calls no convene_room()"
                continue
            room = rooms[folder]
            needs = room.__dict__.setdefault("needs", set())
            for number, line in enumerate(file.read_text().splitlines(), 1):
                wrong, needed = complaint(room, rooms, name, line)
                if needed:
                    needs.add(needed)
                if wrong:
                    yield f"{name}:{number}: {wrong}"
    for room in rooms.values():
        for other in sorted((room.uses | room.private_uses)
                            - getattr(room, "needs", set())):
            if "::" not in other:
                yield f"{room.name} uses {other}, but no file includes it"
    seen = set()
    for header in PUBLIC.read_text().splitlines():
        if header and not header.startswith("#"):
            yield from check_public(root, header, seen, [])


def self_test():
    rooms = {r.name: r for r in [
        Room("protocol/a", [], [], False),
        Room("protocol/b", ["protocol/a"], [], False),
        Room("protocol/c", [], ["protocol/a"], False),
        Room("session/d", ["protocol/b"], [], False),
        Room("actors", ["session/d", "CAF::core"], [], True)]}

    def refused(room, path, line):
        return complaint(rooms[room], rooms, path, line)[0] is not None
    assert refused("protocol/a", "protocol/a/x.hpp", "#include <convene/protocol/b/y.hpp>")
    assert refused("session/d", "session/d/x.cpp", "#include <convene/protocol/a/y.hpp>")
    assert refused("protocol/c", "protocol/c/x.hpp", "#include <convene/protocol/a/y.hpp>")
    assert refused("session/d", "session/d/x.cpp", "  # include <caf/all.hpp>")
    assert refused("session/d", "session/d/x.cpp", "#include <convene/nowhere/y.hpp>")
    assert refused("protocol/b", "protocol/b/x.cpp", "#include <simdjson.h>")
    assert not refused("protocol/c", "protocol/c/x.cpp", "#include <convene/protocol/a/y.hpp>")
    assert not refused("protocol/b", "protocol/b/x.hpp", "#include <convene/protocol/a/y.hpp>")
    assert not refused("actors", "actors/x.cpp", "#include <caf/all.hpp>")
    assert list(check_public(ROOT, "nowhere.hpp", set(), []))
    assert list(check_public(ROOT, "lab/load/load_run.hpp", set(), []))
    assert not list(check_public(ROOT, "convene.hpp", set(), []))
    assert not list(check_lists(rooms))
    rooms["runtime/log/e"] = Room("runtime/log/e", [], ["runtime/data/f"], False)
    rooms["runtime/data/f"] = Room("runtime/data/f", [], [], False)
    assert any("above" in each for each in check_lists(rooms))
    rooms["runtime/log/e"].private_uses = set()
    rooms["runtime/data/f"].uses = {"runtime/log/e"}
    assert not list(check_lists(rooms))
    rooms["protocol/a"].uses.add("protocol/b")
    assert any("cycle" in each for each in check_lists(rooms))
    rooms["protocol/a"].uses = {"session/d"}
    assert any("above" in each for each in check_lists(rooms))
    room = parse_room("x", "# y\nconvene_room(\n  CAF UNIT 4\n  USES a b::c\n"
                           "  PRIVATE_USES d)\n")
    assert room.caf and room.uses == {"a", "b::c"} and room.private_uses == {"d"}


def print_rooms():
    """Each room with the comment that its CMakeLists.txt begins with."""
    for layer in LAYERS:
        for file in sorted((ROOT / layer).rglob("CMakeLists.txt")):
            name = file.parent.relative_to(ROOT).as_posix()
            text = file.read_text()
            if parse_room(name, text):
                said = re.match(r"(?:#.*\n)+", text)[0].replace("\n", "")
                print(f"{name:22}", " ".join(said.replace("#", "").split()))


if "--rooms" in sys.argv:
    print_rooms()
    sys.exit()
if "--self-test" in sys.argv:
    self_test()
    sys.exit()
complaints = list(check(ROOT))
print(*complaints, sep="\n", end="\n" if complaints else "")
sys.exit(bool(complaints))

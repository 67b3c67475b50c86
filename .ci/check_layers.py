#!/usr/bin/env python3
"""Fails if a file includes what its layer may not know of.

With --self-test, checks that the check can fail.
"""

import pathlib
import re
import sys

# The architecture, as far as a machine can check it: each folder, the folders
# whose headers it may include besides its own, and whether it may know CAF.
LOWER = ["schemas", "protocol", "session"]
LAYERS = {
    "schemas": ([], False),
    "protocol": (["schemas"], False),
    "session": (["protocol"], False),
    "modes": (["session", "protocol"], False),
    "actors/behaviours": (["actors", "session", "protocol"], False),
    "actors": (["session", "protocol"], True),
    "runtime/event_log": (["protocol"], False),
    "runtime/validation": (["schemas", "protocol"], False),
    "runtime/scenario": (["runtime", "session", "protocol"], False),
    "runtime": (["actors", "modes", *LOWER], True),
    "server": (["runtime", *LOWER], False),
    "cli": (["server", "runtime", *LOWER], False),
    "examples": (["runtime", *LOWER], False),
}
# Headers of a layer that knows CAF, which yet must not show it: what an
# application includes compiles without CAF.
WITHOUT_CAF = {
    "convene.hpp", "runtime/runtime.hpp", "runtime/setup.hpp",
    "runtime/scenario.hpp", "runtime/outputs.hpp", "runtime/sinks.hpp",
    "runtime/blocking_pool.hpp", "actors/ports.hpp", "actors/behaviour.hpp",
    "actors/turn_request.hpp",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"](?:(convene)/)?([^>"]+)[>"]')


def layer_of(path):
    """The longest folder of the table that `path` lies in."""
    fits = [name for name in LAYERS if path.startswith(name + "/")]
    return max(fits, key=len, default=None)


def complaint(path, line):
    """What is wrong with one line of the file, or None."""
    found = INCLUDE.match(line)
    layer = layer_of(path)
    if not found or (layer is None and path not in WITHOUT_CAF):
        return None
    ours, target = found.groups()
    if not ours:
        caf = target.startswith("caf/")
        if caf and (path in WITHOUT_CAF or not LAYERS[layer][1]):
            return f"{path} may not include CAF's <{target}>"
        return None
    top = target.split("/")[0]
    if layer is None or top == layer.split("/")[0] or target == "convene.hpp":
        return None
    if top not in LAYERS[layer][0]:
        return f"{layer}/ may not include <convene/{target}>"
    return None


def check(root):
    paths = [p for name in {n.split("/")[0] for n in LAYERS}
             for p in (root / name).rglob("*.[ch]pp")]
    paths.append(root / "convene.hpp")
    for path in sorted(p for p in paths if p.exists()):
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if wrong := complaint(name, line):
                yield f"{name}:{number}: {wrong}"


def self_test():
    def refused(path, line):
        return complaint(path, line) is not None
    assert refused("protocol/a.hpp", "#include <convene/session/b.hpp>")
    assert refused("modes/a.cpp", "#include <convene/actors/b.hpp>")
    assert refused("actors/a.cpp", "#include <convene/modes/b.hpp>")
    assert refused("cli/a.cpp", "#include <convene/actors/b.hpp>")
    assert refused("session/a.cpp", "#include <caf/all.hpp>")
    assert refused("cli/a.cpp", "#include <caf/all.hpp>")
    assert refused("actors/behaviours/a.cpp", "#include <caf/all.hpp>")
    assert refused("runtime/runtime.hpp", "  #  include <caf/all.hpp>")
    assert not refused("actors/a.cpp", "#include <caf/all.hpp>")
    assert not refused("session/a.cpp", "#include <convene/protocol/b.hpp>")
    assert not refused("runtime/a.cpp", "#include <convene/modes/b.hpp>")


if "--self-test" in sys.argv:
    self_test()
    sys.exit()
complaints = list(check(pathlib.Path(__file__).resolve().parent.parent))
print(*complaints, sep="\n", end="\n" if complaints else "")
sys.exit(bool(complaints))

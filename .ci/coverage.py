#!/usr/bin/env python3
"""Writes docs/coverage.md from docs/coverage.json, and checks both.

Every name that the protocol has (modules, schemas, events, lifecycles,
invariants, duties, outcomes) needs a row that says where it is implemented and
which test covers it, or that it is planned. A row with code is implemented if
a run or a command of the program makes use of it; if only the library has it,
`library` says what is missing. A file that does not exist, a test that no
source has, a name without a row and a row without a name all fail.

    .ci/coverage.py             check
    .ci/coverage.py --write     write docs/coverage.md
    .ci/coverage.py --self-test check that the check can fail
"""

import collections
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "docs/coverage.json"
PAGE = ROOT / "docs/coverage.md"
SCHEMAS = ROOT / "schemas"

# The outcomes that MPLP's architecture demands of a runtime.
OUTCOMES = [
    "one source of truth for the project graph",
    "graph_update on every structural change",
    "pipeline_stage on every Plan and Step transition",
    "drift detection",
    "snapshot and restore, or compensation",
    "exchangeable value state and action execution layers",
    "the SA profile runs end to end",
    "invalid transitions are refused",
    "all input and output is validated",
    "the core does not depend on integrations",
]


def read(path):
    return json.loads((SCHEMAS / path).read_text())


def event_words(schema):
    """The event_type words of a profile's event schema."""
    return read(f"v2/events/{schema}.schema.json")["properties"]["event_type"]["enum"]


def required_names():
    """What must have a row, by section; all of it read from the data."""
    v2 = SCHEMAS / "v2"
    files = sorted(str(p.relative_to(v2)) for p in v2.rglob("*.json"))
    modules = [m["module"] for m in read("taxonomy/module-event-matrix.json")]
    duties = read("v2/common/metadata.schema.json")["properties"]
    return {
        "Modules": modules,
        "Schemas": files,
        "Event families": [f["family"] for f in read("taxonomy/event-families.json")],
        "MAP events": event_words("mplp-map-event") + ["MAPHandoffInitiated"],
        "SA events": event_words("mplp-sa-event"),
        "Integration events": [p.name.removesuffix(".schema.json")
                               for p in sorted((v2 / "integration").iterdir())],
        "Learning samples": [p.name.removesuffix(".schema.json")
                             for p in sorted((v2 / "learning").iterdir())]
                            + ["learning-sample (common)"],
        "Module events": [f"{m['module']}, {group['family']}: {word}"
                          for m in read("taxonomy/module-event-matrix.json")
                          for group in m["primary"] + m["secondary"]
                          for word in group["event_types"]],
        "Lifecycles": modules + ["step", "confirm decision"],
        "Invariants": [rule["id"] for p in sorted((SCHEMAS / "invariants").iterdir())
                       for rule in json.loads(p.read_text())],
        "Kernel duties": duties["cross_cutting"]["items"]["enum"],
        "Outcomes": OUTCOMES,
    }


def tests_of_the_tree():
    """Every test's name, and every script that is a test."""
    names = set()
    pattern = re.compile(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
    for path in (ROOT / "tests").rglob("*.cpp"):
        for found in pattern.findall(path.read_text()):
            names.add("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found)))
    return names


def complaints(data, required, tests, exists):
    """What is wrong with the rows, a sentence each."""
    wrong = []
    for section in data:
        if section not in required:
            wrong.append(f"{section}: no such section")
    for section, names in required.items():
        rows = data.get(section, [])
        seen = collections.Counter(n for row in rows for n in row["names"])
        rest = "*" in seen
        for name, count in seen.items():
            if count > 1:
                wrong.append(f"{section}: '{name}' has {count} rows")
            if name != "*" and name not in names:
                wrong.append(f"{section}: '{name}' is not in the protocol's data")
        for name in names:
            if name not in seen and not rest:
                wrong.append(f"{section}: '{name}' has no row")
        for row in rows:
            where = f"{section}: {', '.join(row['names'][:3])}"
            if row.get("planned"):
                for other in ("code", "test", "library"):
                    if row.get(other):
                        wrong.append(f"{where}: planned, but has {other}")
                continue
            for need in ("code", "test"):
                if not row.get(need):
                    wrong.append(f"{where}: neither {need} nor planned")
            for path in row.get("code", []):
                if not exists(path):
                    wrong.append(f"{where}: there is no {path}")
            for test in row.get("test", []):
                if test not in tests and not exists(test):
                    wrong.append(f"{where}: no test is named '{test}'")
    return wrong


def page(data, required):
    """docs/coverage.md."""
    out = ["# Coverage", "",
           "Every name of MPLP v1.0, where convene implements it, and which test covers it. Generated by",
           "`.ci/coverage.py --write` from `docs/coverage.json`; CI fails on a name without a row, on a row without code or test",
           "that is not marked as planned, and on a file or test that does not exist. What is marked as *library* has code",
           "and tests, but no run or command of the program uses it.", ""]
    total = sum(len(names) for names in required.values())
    planned = library = 0
    body = []
    for section, names in required.items():
        body += [f"## {section}", "", "| name | implemented in | tested by |", "|---|---|---|"]
        rows = data.get(section, [])
        by_name = {n: row for row in rows for n in row["names"]}
        for name in dict.fromkeys(names):
            row = by_name.get(name, by_name.get("*", {}))
            if row.get("planned"):
                planned += 1
                body.append(f"| {name} | planned | {row['planned']} |")
                continue
            code = ", ".join(f"`{c}`" for c in row.get("code", []))
            if row.get("library"):
                library += 1
                code += f"; *library*: {row['library']}"
            test = "; ".join(row.get("test", []))
            body.append(f"| {name} | {code} | {test.replace('|', chr(92) + '|')} |")
        body.append("")
    out += [f"{total} names, {total - planned - library} of them implemented and tested, {library} in the library only, "
            f"{planned} planned.", ""]
    return "\n".join(out + body)


def self_test():
    required = {"Modules": ["a", "b"]}
    good = {"Modules": [{"names": ["a"], "code": ["x"], "test": ["t"]},
                        {"names": ["b"], "planned": "why"}]}

    def broken(**change):
        row = {"names": ["a"], "code": ["x"], "test": ["t"], **change}
        return {"Modules": [row, good["Modules"][1]]}

    def check(data):
        return complaints(data, required, {"t"}, lambda path: path == "x")

    assert check(good) == []
    for bad in (broken(code=[]), broken(test=[]), broken(code=["y"]), broken(test=["u"]),
                broken(names=["c"]), broken(names=["a", "b"]), {"Modules": []},
                broken(planned="why"),
                {**good, "Other": []}):
        assert check(bad), bad


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    data = json.loads(DATA.read_text())
    required = required_names()
    wrong = complaints(data, required, tests_of_the_tree(), lambda p: (ROOT / p).exists())
    text = page(data, required)
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        wrong.append("docs/coverage.md is not what the data gives: run .ci/coverage.py --write")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

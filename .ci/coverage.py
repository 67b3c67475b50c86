#!/usr/bin/env python3
"""Checks docs/coverage.json, and prints it as a page of tables.

Every name that the protocol has (modules, schemas, events, lifecycles,
invariants, duties, outcomes) needs a row that says where it is implemented and
which test covers it, or that it is planned. A row with code is implemented if
a run or a command of the program makes use of it; if only the library has it,
`library` says what is missing. Of events and samples docs/emitted.json decides,
which tests/emitted/run makes by running the program: what no run emits is only
a value type, unless it is another program's and `received` says what takes it.
A file that does not exist, a test that no source has, a name
without a row and a row without a name all fail.

    .ci/coverage.py             check
    .ci/coverage.py --page      print the page, as Markdown
    .ci/coverage.py --self-test check that the check can fail
"""

import collections
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "docs/coverage.json"
EMITTED = ROOT / "docs/emitted.json"
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

# What the events that carry an integration event are called, and the families
# of the samples that the schemas describe.
CARRIERS = {"mplp-file-update-event": "file_update", "mplp-git-event": "git_operation",
            "mplp-ci-event": "ci_pipeline", "mplp-tool-event": "tool_execution"}
SAMPLES = {"mplp-learning-sample-intent": ["intent_resolution"],
           "mplp-learning-sample-delta": ["delta_impact"],
           "mplp-learning-sample-core": ["pipeline_outcome", "confirm_decision", "graph_evolution",
                                         "multi_agent_coordination"],
           "learning-sample (common)": ["run"]}


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


def emitting_run(emitted):
    """A function of section and name: the first run on record that emits it,
    or nothing; of a section that has no events, unset."""
    def first(family, words=None):
        found = emitted.get(family, {})
        return next((run for word, run in found.items() if words is None or word in words), "")

    def module_event(name):
        family, word = name.split(", ")[1].split(": ")
        return first(family, [word])

    by_section = {
        "Event families": first,
        "MAP events": lambda name: first("MAP", [name]),
        "SA events": lambda name: first("SA", [name]),
        "Integration events": lambda name: first("external_integration", [CARRIERS[name]]),
        "Learning samples": lambda name: first("learning sample", SAMPLES[name]),
        "Module events": module_event,
    }
    return lambda section, name: by_section[section](name) if section in by_section else None


def tests_of_the_tree():
    """Every test's name, and every script that is a test."""
    names = set()
    pattern = re.compile(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
    for path in (ROOT / "tests").rglob("*.cpp"):
        for found in pattern.findall(path.read_text()):
            names.add("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found)))
    return names


def row_of(data, section, name):
    by_name = {n: row for row in data.get(section, []) for n in row["names"]}
    return by_name.get(name, by_name.get("*", {}))


def complaints(data, required, tests, exists, run_of=lambda section, name: None):
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
            row = row_of(data, section, name)
            run = run_of(section, name)
            if run and not exists(run.split(",")[0]):
                wrong.append(f"{section}: {name}: there is no run {run}")
            for word in ("planned", "library"):
                if run and row.get(word):
                    wrong.append(f"{section}: '{name}' is marked as {word}, but {run} emits it")
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


def page(data, required, run_of):
    """The data as Markdown."""
    total = sum(len(names) for names in required.values())
    planned = library = 0
    body = []
    for section, names in required.items():
        events = run_of(section, names[0]) is not None
        body += [f"## {section}", "",
                 "| name | implemented in | tested by |" + (" emitted by a run |" if events else ""),
                 "|---|---|---|" + ("---|" if events else "")]
        for name in dict.fromkeys(names):
            row = row_of(data, section, name)
            if row.get("planned"):
                planned += 1
                body.append(f"| {name} | planned | {row['planned']} |" + (" |" if events else ""))
                continue
            code = ", ".join(f"`{c}`" for c in row.get("code", []))
            run = run_of(section, name)
            only_value = run == "" and not row.get("received")
            if row.get("library") or only_value:
                library += 1
            if row.get("library"):
                code += f"; *library*: {row['library']}"
            test = "; ".join(row.get("test", []))
            cells = [name, code, test.replace("|", chr(92) + "|")]
            if events:
                cells.append(run or ("none, *only a value type*" if only_value
                                     else f"from outside, taken by {row['received']}"))
            body.append("| " + " | ".join(cells) + " |")
        body.append("")
    out = ["# Coverage", "",
           "Every name of MPLP v1.0, where convene implements it, and which test covers it, as printed by",
           "`.ci/coverage.py --page` from `docs/coverage.json`. CI fails on a name without a row, on a row without code or test",
           "that is not marked as planned, and on a file or test that does not exist. What is marked as *library* has code",
           "and tests, but no run or command of the program uses it.", "",
           "Which run emits an event or a sample is `docs/emitted.json`, made by running the examples and",
           "the scripts of `tests/emitted` (`tests/emitted/run`); CI fails if they emit anything else. What none of them emits",
           "is *only a value type*: it can be built, read, validated and written, and that is tested. Events of other",
           "programs are taken from outside.", "",
           f"{total} names, {total - planned - library} of them implemented and tested, {library} only as a value type or in "
           f"the library, {planned} planned.", ""]
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

    def with_run(run):
        return complaints(good, required, {"t"}, lambda path: path == "x",
                          lambda section, name: run if name == "b" else "")

    assert with_run("") == []
    assert any("planned, but x emits" in each for each in with_run("x"))
    assert any("no run y" in each for each in with_run("y"))
    run_of = emitting_run({"MAP": {"MAPSessionStarted": "x"}, "intent": {"b": "y", "c": "z"},
                           "learning sample": {"delta_impact": "x"}})
    assert run_of("MAP events", "MAPSessionStarted") == "x"
    assert run_of("SA events", "SAInitialized") == ""
    assert run_of("Event families", "intent") == "y"
    assert run_of("Module events", "dialog, intent: c") == "z"
    assert run_of("Module events", "dialog, intent: d") == ""
    assert run_of("Learning samples", "mplp-learning-sample-delta") == "x"
    assert run_of("Lifecycles", "plan") is None


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    data = json.loads(DATA.read_text())
    required = required_names()
    run_of = emitting_run(json.loads(EMITTED.read_text()))
    wrong = complaints(data, required, tests_of_the_tree(), lambda p: (ROOT / p).exists(), run_of)
    if sys.argv[1:] == ["--page"]:
        print(page(data, required, run_of))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

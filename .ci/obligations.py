#!/usr/bin/env python3
"""Checks docs/obligations.json, and prints it as a page of tables.

Every obligation of a runtime names the tests that show it, or says why none
does here; what the protocol's overview demands needs a test. A test that no
source has, an obligation that says nothing and a duty without obligations all
fail.

    .ci/obligations.py             check
    .ci/obligations.py --page      print the page, as Markdown
    .ci/obligations.py --self-test check that the check can fail
"""

import json
import sys

sys.dont_write_bytecode = True
import coverage  # noqa: E402

DATA = coverage.ROOT / "docs/obligations.json"
LEVELS = {"S": "demanded by the protocol's overview", "V": "demanded by its pages on runtimes",
          "R": "recommended"}
NO_REASON = ("not built", "not written", "not implemented", "later", "not yet")


def complaints(data, duties, tests, exists):
    """What is wrong with the obligations, a sentence each."""
    wrong = []
    sections = {name for name, rows in data.items() if rows}
    for number, duty in enumerate(duties, 1):
        if f"KD-{number:02} {duty}" not in sections:
            wrong.append(f"the duty {duty} has no obligations")
    for section, rows in data.items():
        seen = set()
        for row in rows:
            where = f"{section}: {row.get('says', '')[:60]}"
            if not row.get("says") or row.get("says") in seen:
                wrong.append(f"{where}: says nothing of its own")
            seen.add(row.get("says"))
            if row.get("level") not in LEVELS:
                wrong.append(f"{where}: its level is none of {', '.join(LEVELS)}")
            if not row.get("test") and not row.get("reason"):
                wrong.append(f"{where}: names no test, and no reason why")
            if row.get("reason") and row.get("test"):
                wrong.append(f"{where}: has a reason for no test, and a test")
            if row.get("level") == "S" and not row.get("test"):
                wrong.append(f"{where}: is {LEVELS['S']}, which no reason replaces")
            if any(words in row.get("reason", "") for words in NO_REASON):
                wrong.append(f"{where}: that it is missing is no reason")
            if unknown := set(row) - {"says", "level", "test", "reason"}:
                wrong.append(f"{where}: {', '.join(sorted(unknown))} means nothing")
            for test in row.get("test", []):
                if test not in tests and not exists(test):
                    wrong.append(f"{where}: no test is named '{test}'")
    return wrong


def cell(text):
    return text.replace("|", chr(92) + "|")


def shown_by(row):
    parts = [cell("; ".join(row["test"]))] if row.get("test") else []
    if row.get("reason"):
        parts.append(f"*none:* {cell(row['reason'])}")
    return "; ".join(parts)


def page(data):
    """The data as Markdown."""
    rows = [row for group in data.values() for row in group]
    out = ["# Obligations", "",
           "What MPLP v1.0 demands of a runtime, in our words, and the tests that show that convene does it, as printed",
           "by `.ci/obligations.py --page` from `docs/obligations.json`. CI fails if a test does not exist. The level says where an",
           "obligation is from: " + ", ".join(f"{word} is {text}" for word, text in LEVELS.items()) + ".",
           "`docs/coverage.json` lists names, this page what has to happen.", "",
           f"{len(rows)} obligations: {sum(1 for row in rows if row.get('test'))} shown by tests, "
           f"{sum(1 for row in rows if row.get('reason'))} with a reason why none is here.", ""]
    for section, group in data.items():
        out += [f"## {section}", "", "| level | obligation | shown by |", "|---|---|---|"]
        out += [f"| {row['level']} | {cell(row['says'])} | {shown_by(row)} |" for row in group]
        out.append("")
    return "\n".join(out)


def self_test():
    good = {"KD-01 a": [{"level": "S", "says": "x", "test": ["t"]}, {"level": "V", "says": "y", "reason": "why"}]}

    def check(data, duties=("a",)):
        return complaints(data, duties, {"t"}, lambda path: path == "file")

    def with_row(**members):
        return {"KD-01 a": [{"level": "S", "says": "x", "test": ["t"], **members}]}

    assert check(good) == []
    assert check(with_row(test=["t", "file"])) == []
    for bad in (with_row(test=["u"]), with_row(test=[]), with_row(level="X"), with_row(says=""),
                with_row(reason="why"), with_row(test=[], level="V", reason="it is not built"),
                with_row(test=[], reason="why"), with_row(tests=["t"]), with_row(open="what"),
                {"KD-01 a": good["KD-01 a"] * 2}, {"KD-01 a": []}):
        assert check(bad), bad
    assert check(good, ("a", "b"))
    assert "2 obligations: 1 shown by tests, 1 with a reason" in page(good)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    data = json.loads(DATA.read_text())
    duties = coverage.required_names()["Kernel duties"]
    wrong = complaints(data, duties, coverage.tests_of_the_tree(), lambda p: (coverage.ROOT / p).exists())
    if sys.argv[1:] == ["--page"]:
        print(page(data))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Fails if docs/reliability.md ties a promise to a test that does not exist.

The last column of its tables that are headed `shown by` has the tests, each in
quotation marks; a row without any fails, too. With --self-test, checks that the
check can fail.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reliability.md"
LITERAL = r'"((?:[^"\\]|\\.)*)"'


def tests():
    """The names of all test cases; neighbouring literals are one."""
    names = set()
    case = re.compile(r"TEST_CASE\(\s*((?:" + LITERAL + r"\s*)+)")
    for path in (ROOT / "tests").rglob("*.cpp"):
        for found in case.finditer(path.read_text(encoding="utf-8")):
            names.add("".join(m for m in re.findall(LITERAL, found.group(1))))
    return names


def complaints(page, known):
    found = []
    proven = False
    for number, line in enumerate(page.splitlines(), 1):
        if not line.startswith("|"):
            proven = False
        elif re.search(r"\| shown by \|$", line):
            proven = True
        elif proven and not line.startswith("|---"):
            named = re.findall(r'"([^"]+)"', line.split("|")[-2])
            if not named:
                found.append(f"line {number}: a promise without a test")
            found += [f"line {number}: there is no test \"{name}\""
                      for name in named if name not in known]
    return found


def self_test():
    page = '| promise | shown by |\n|---|---|\n| x | "a" |\n| y | "b" |\n| z | |\n'
    assert len(complaints(page, {"a"})) == 2
    assert not complaints("| x | y |\n", set())


def main():
    if "--self-test" in sys.argv:
        self_test()
        return 0
    wrong = complaints(PAGE.read_text(encoding="utf-8"), tests())
    for each in wrong:
        print(f"docs/reliability.md: {each}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

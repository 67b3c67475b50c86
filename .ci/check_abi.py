#!/usr/bin/env python3
"""Compares the C API with bindings/c/abi.txt: functions with their types, the codes, the handles.

    .ci/check_abi.py              nothing is printed: they are equal, and libconvene.so exports the same
    .ci/check_abi.py --write      writes the list, after a change
    .ci/check_abi.py --self-test

A line of the list is never changed or removed while CONVENE_ABI_VERSION stays (docs/embedding.md). What the
last release had must still be there: the list of the commit that a change is based on, where git knows one.
"""
import difflib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER, LIST, EXPORTS = (ROOT / "bindings/c" / name for name in ("convene.h", "abi.txt", "exports.map"))


def declared(header):
    """What a program that was compiled against the header relies on, a line each."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    text = re.sub(r"^#(?!define CONVENE_ABI_VERSION).*$", "", text, flags=re.M)
    lines = [" ".join(each.split()) for each in re.findall(r"#define (CONVENE_ABI_VERSION .*)", text)]
    for name, body in re.findall(r"enum (\w+) \{(.*?)\}", text, flags=re.S):
        values = [" ".join(each.split()) for each in body.split(",") if each.strip()]
        lines += [f"enum {name}: {each}" for each in values]
    rest = re.sub(r"#define.*|extern \"C\" \{", "", text)
    rest = re.sub(r"enum \w+ \{.*?\};", "", rest, flags=re.S)
    for each in rest.replace("{", ";").replace("}", ";").split(";"):
        line = " ".join(each.split()).replace("( ", "(").replace(" )", ")")
        if "(" in line or line.startswith(("typedef", "struct")):
            lines.append(line)
    return sorted(lines)


def exported(script):
    return set(re.findall(r"^\s*(convene_\w+);", script, flags=re.M))


def functions(lines):
    return set(re.findall(r"\b(convene_\w+)\(", "\n".join(lines)))


def lost(before, now):
    """What an ABI version has promised and no longer keeps."""
    version = [each for each in before if each.startswith("CONVENE_ABI_VERSION")]
    return [] if version and version[0] not in now else [each for each in before if each not in now]


def of_base():
    """The list where this branch began, or the last commit's; nothing, if git has none."""
    for commit in ("origin/HEAD", "origin/main", "main", "HEAD"):
        found = subprocess.run(["git", "show", f"{commit}:bindings/c/abi.txt"], cwd=ROOT, check=False,
                               capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.splitlines()
    return []


def self_test():
    header = ('#ifndef A\n#define CONVENE_ABI_VERSION 0\nextern "C" {\nenum convene_code {\n  OK = 0, /* good */\n'
              '  BAD = 1\n};\ntypedef struct convene_a convene_a;\n/** f(x); */\nint convene_f(convene_a *a,\n'
              '              char **e);\nvoid convene_g(void);\n}\n#endif\n')
    lines = declared(header)
    assert lines == ["CONVENE_ABI_VERSION 0", "enum convene_code: BAD = 1", "enum convene_code: OK = 0",
                     "int convene_f(convene_a *a, char **e)", "typedef struct convene_a convene_a",
                     "void convene_g(void)"], lines
    assert functions(lines) == {"convene_f", "convene_g"} == exported("V {\n  convene_f;\n convene_g;\n};")
    assert lost(lines, lines[:-1]) == ["void convene_g(void)"] and not lost(lines[:-1], lines)
    assert not lost(lines, ["CONVENE_ABI_VERSION 1"])


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    now = declared(HEADER.read_text())
    if sys.argv[1:] == ["--write"]:
        return LIST.write_text("\n".join(now) + "\n")
    wrong = []
    listed = LIST.read_text().splitlines()
    if listed != now:
        wrong += ["convene.h and bindings/c/abi.txt differ; .ci/check_abi.py --write writes the list:",
                  *(each for each in difflib.unified_diff(listed, now, "abi.txt", "convene.h", n=0, lineterm=""))]
    if missing := lost(of_base(), now):
        wrong += ["these break programs that were compiled before; give CONVENE_ABI_VERSION and the library's "
                  "SOVERSION a new number, or leave them:", *missing]
    if odd := functions(now) ^ exported(EXPORTS.read_text()):
        wrong += ["convene.h and exports.map differ: " + ", ".join(sorted(odd))]
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Fails if two files define a type of the same name in the same namespace.

The linker keeps one of two inline functions with the same name, so the members
of one such class run on objects of the other; and a reader finds the wrong one.
Counted are classes, structs, unions, enumerations and aliases at namespace
scope. Anonymous namespaces, members of classes, specializations and forward
declarations are not. Product code stands for itself; a type of the tests must
differ from those of other tests and of the product. An alias in a test's source
serves that file alone, and each file of examples/ is a program of its own.

With --self-test, checks that the check can fail.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCT = ["schemas", "protocol", "session", "modes", "actors", "runtime", "lab",
           "integrations", "bindings", "server", "cli", "bench"]
NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|(?<!\w)R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\''
    r'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
TOKEN = re.compile(r"[A-Za-z_]\w*|::|\[\[|\]\]|[^\s\w]")
TYPE_WORDS = {"class", "struct", "union", "enum"}


def after_angles(tokens, at):
    """The place after the <...> that begins at `at`."""
    depth = 0
    while at < len(tokens):
        depth += {"<": 1, ">": -1}.get(tokens[at], 0)
        if tokens[at] in "([{":
            at = after_brackets(tokens, at) - 1
        at += 1
        if not depth:
            break
    return at


def after_brackets(tokens, at):
    """The place after the bracket that closes the one at `at`."""
    depth = 0
    while at < len(tokens):
        depth += (tokens[at] in ("(", "[", "{")) - (tokens[at] in (")", "]", "}"))
        at += 1
        if not depth:
            break
    return at


def type_at(tokens, at):
    """The name of the type whose definition begins at `at`, or None; and where
    to read on: inside nothing that the definition consists of."""
    at += 1
    while at < len(tokens) and (tokens[at] in TYPE_WORDS or tokens[at] in ("[[", "alignas")):
        if tokens[at] == "[[":
            at = tokens.index("]]", at) + 1
        else:
            at = after_brackets(tokens, at + 1) if tokens[at] == "alignas" else at + 1
    name = tokens[at] if at < len(tokens) and tokens[at][0].isidentifier() else None
    at += name is not None
    special = at < len(tokens) and tokens[at] in ("<", "::")
    while at < len(tokens) and tokens[at] not in (";", "{", "(", "="):
        at = after_angles(tokens, at) if tokens[at] == "<" else at + 1
    if at < len(tokens) and tokens[at] == "{":
        return None if special else name, after_brackets(tokens, at)
    return None, at


def types_of(text, aliases=True):
    """The (namespace, name) of all types that a file defines at namespace scope."""
    tokens = TOKEN.findall(NOISE.sub(" ", text))
    scopes, at = [], 0
    while at < len(tokens):
        word = tokens[at]
        if word == "namespace":
            end = next((i for i in range(at, len(tokens))
                        if tokens[i] in ("{", ";", "=")), len(tokens))
            if end < len(tokens) and tokens[end] == "{":
                named = "".join(t for t in tokens[at + 1:end] if t != "inline")
                if named:
                    scopes.append(named)
                else:
                    end = after_brackets(tokens, end) - 1
            at = end + 1
        elif word == "template" and tokens[at + 1:at + 2] == ["<"]:
            at = after_angles(tokens, at + 1)
        elif word in TYPE_WORDS:
            name, at = type_at(tokens, at)
            if name:
                yield "::".join(scopes), name
        elif word == "using" and tokens[at + 2:at + 3] == ["="]:
            if aliases:
                yield "::".join(scopes), tokens[at + 1]
            at = tokens.index(";", at)
        elif word == "extern" and tokens[at + 1:at + 2] == ["{"]:
            scopes.append("")
            at += 2
        elif word in ("{", "("):
            at = after_brackets(tokens, at)
        else:
            if word == "}" and scopes:
                scopes.pop()
            at += 1


def complaints(files, known=None):
    """Types defined twice; `files` are names and texts. Adds to `known`."""
    known = {} if known is None else known
    for file, text in files:
        is_test = file.startswith("tests/") and file.endswith(".cpp")
        for which in dict.fromkeys(types_of(text, aliases=not is_test)):
            if which in known:
                yield f"{file}: {'::'.join(filter(None, which))} is also in {known[which]}"
            else:
                known[which] = file


def files_below(*folders):
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*.[ch]pp")):
            yield file.relative_to(ROOT).as_posix(), file.read_text()


def self_test():
    def found(text):
        return ["::".join(filter(None, each)) for each in types_of(text)]
    assert found("struct a { int b; }; class c; enum class d : int { e };") == ["a", "d"]
    assert found("namespace x::y { class a final : public b<c> { struct d {}; }; } struct e {};") \
        == ["x::y::a", "e"]
    assert found("namespace x { namespace { struct a {}; } using b = c; using std::d; }") == ["x::b"]
    assert found("template <class T, class U = v<T>> struct a {}; template <> struct a<int> {};") \
        == ["a"]
    assert found("void f() { struct a {}; } struct b* g(struct c*); struct x::d {};") == []
    assert found('const char* s = R"x(struct a {})x"; // struct b {};\n#define S struct c {\nstruct d {};') \
        == ["d"]
    assert found("struct [[nodiscard]] alignas(64) a { int b[2] = {1, 2}; } c; union d { int e; };") \
        == ["a", "d"]
    assert found('extern "C" { struct a {}; } namespace x { struct b {}; }') == ["a", "x::b"]
    assert found("char c = '{'; int n = 1'000; struct a {};") == ["a"]
    one, two = ("a.hpp", "namespace x { struct a {}; }"), ("b.hpp", "namespace x { using a = int; }")
    assert list(complaints([one, two])) == ["b.hpp: x::a is also in a.hpp"]
    assert not list(complaints([one, ("b.hpp", "namespace y { struct a {}; }")]))
    known = {}
    assert not list(complaints([one], known)) and list(complaints([two], known))
    assert list(complaints([("tests/c.hpp", two[1])], known))
    assert not list(complaints([("tests/c.cpp", two[1])], known))


if "--self-test" in sys.argv:
    self_test()
    sys.exit()
types = {}
wrong = [*complaints(files_below(*PRODUCT), types), *complaints(files_below("tests"), types)]
print(*wrong, sep="\n", end="\n" if wrong else "")
sys.exit(bool(wrong))

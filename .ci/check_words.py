#!/usr/bin/env python3
"""Fails if the program's messages, its help or the docs have words that read as
translated, such as "is told" or "whoever": each pattern below has what to write
instead.

Read are string literals of the product and of its pages with two words or more,
the text of pages, the files usage.txt, and README.md, CONTRIBUTING.md,
CHANGELOG.md and docs/ without code.
ALLOWED has the places where the words are right.

With --self-test, checks that the check can fail.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCT = ("actors/", "bindings/", "cli/", "integrations/", "lab/", "modes/",
           "protocol/", "runtime/", "server/", "session/")
PAGES = ("cli/pages/files/", "server/page/files/")
LITERALS = re.compile(r'(?:"(?:\\.|[^"\\\n])*"\s*)+')
SCRIPT_LITERAL = re.compile(r"'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\"(?:\\.|[^\"\\\n])*\"")
BLANK = lambda found: re.sub(r"[^\n]", " ", found.group())
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
COMMENT = re.compile(r'(?<!:)//[^\n]*')
RAW = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)
# Code, links, what is quoted: names of tests and messages.
CODE = re.compile(r"`[^`\n]*`|\]\([^)\n]*\)|\*\*|<[^>\n]*>|\"[^\"\n]*\"")
PATTERNS = {
    r"(?:is|are|was|were|be|been|being) told(?! (?:apart|from))":
        "print, report, notify, list",
    r"tells? (?:what|who|how|why|that|of|which|whether)": "show, report",
    r"(?:goes|go|going|gone) on": "continue, resume",
    r"(?<!there )(?:is|are) no (?!such|longer|more\b|less\b|different|one\b)[a-z]+":
        "is not a",
    r"whoever|nobody|somebody": "the user, the client, no one",
    r"but for|all but": "except for",
    r"wants? (?:a|an|the) ": "requires, expects",
    r"(?:is|are|was|were) (?:had|taken for|made of|come of)":
        "has, is treated as, is built from",
    r"came of|comes? to be|comes? to a\b": "result of, becomes",
    r"without a word": "silently",
    r"in vain": "without success",
}
# In messages and help, which have no room for a second reading.
SHORT_PATTERNS = {
    r"whatever": "any",
    r"of which|with which": "a second sentence",
    r"as far as": "up to, if",
}


def compiled(patterns):
    return {re.compile(rf"\b(?:{pattern})", re.I): better
            for pattern, better in patterns.items()}


WRONG = compiled(PATTERNS)
WRONG_IN_MESSAGES = WRONG | compiled(SHORT_PATTERNS)
# (file, the words around the place): at most 30.
ALLOWED = [
    # Prompts of models, whose hashes are on logs.
    ("runtime/outside/participants/llm_prompt.cpp", "Whatever else you do"),
    ("runtime/outside/participants/llm_session_tools.cpp", "so that nobody else"),
    # On the logs of sessions and runs, which are computed again and compared.
    ("protocol/base/catch_error.hpp", "something that is no std::exception"),
    ("session/conflicts/arbiter.cpp", "nobody else has a part"),
    ("session/conflicts/claim_ledger.cpp", "nobody holds a claim"),
    ("session/conflicts/deciders.cpp", "nobody decided"),
    ("session/machine/closing.cpp", "nobody was left to decide"),
    ("session/machine/replies.cpp", "nobody asked for a vote"),
    ("session/machine/routing.cpp", "something that is no std::exception"),
    ("session/machine/routing.cpp", "dispatches to nobody"),
    ("session/orchestration/decisions.cpp", "is no person"),
    ("session/orchestration/decisions.cpp", "nobody is left to ask"),
    ("session/orchestration/decisions.cpp", "nobody who can act has the role"),
    ("session/orchestration/handoff_receiver.cpp", "nobody has this id"),
    ("session/spec/roster.cpp", "nobody who acts has the role"),
    ("session/workflow/answers.cpp", "while nobody had answered"),
    ("session/workflow/gates.cpp", "nobody answered in time"),
    # A rule's description, which the data and reports have.
    ("docs/invariants.md", "has somebody in it"),
]


def prose(text):
    """(line, paragraph) of Markdown without code; a table's row is one."""
    found = []
    begins, lines = 0, []
    fenced = False
    for number, line in enumerate(text.splitlines() + [""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        elif fenced or line.startswith("    "):
            line = ""
        if lines and (not line or line.startswith(("|", "-", "#"))):
            found.append((begins, " ".join(lines)))
            lines = []
        if line:
            begins = begins if lines else number
            lines.append(CODE.sub("_", line.strip()))
    return found


def literals(text):
    """(line, text) of the string literals of C++ with two words or more;
    neighbors are one."""
    text = RAW.sub(BLANK, text)
    text = COMMENT.sub(BLANK, text)
    for found in LITERALS.finditer(text):
        whole = "".join(LITERAL.findall(found.group()))
        if re.search(r"[a-z]{2} [a-z]", whole):
            yield text.count("\n", 0, found.start()) + 1, whole


def script_literals(text):
    """(line, text) of the string literals of JavaScript with two words or more."""
    text = re.sub(r"(?<![:\"'])//[^\n]*|/\*.*?\*/", BLANK, text, flags=re.S)
    for found in SCRIPT_LITERAL.finditer(text):
        whole = re.sub(r"\$\{[^}]*\}", "_", found.group()[1:-1])
        if re.search(r"[a-z]{2} [a-z]", whole):
            yield text.count("\n", 0, found.start()) + 1, whole


def page_texts(text):
    """(line, text) of HTML between tags, and in the attributes that are shown."""
    text = re.sub(r"<(script|style)\b.*?</\1>|<!--.*?-->", BLANK, text, flags=re.S)
    for found in re.finditer(r">([^<]+)<|(?:title|placeholder|aria-label|alt)=\"([^\"]*)\"", text):
        whole = " ".join((found[1] or found[2] or "").split())
        if whole:
            yield text.count("\n", 0, found.start()) + 1, whole


def texts(name, text):
    if name.endswith(".js"):
        return list(script_literals(text))
    if name.endswith(".html"):
        return list(page_texts(text))
    if name.endswith(".md"):
        return prose(text)
    if name.endswith("usage.txt"):
        return [(n, line) for n, line in enumerate(text.splitlines(), 1)]
    return list(literals(text))


def complaints(name, text, allowed):
    """Lines for people; what `allowed` has is added to `used`."""
    found, used = [], set()
    for line, words in texts(name, text):
        for pattern, better in (WRONG if name.endswith(".md")
                                else WRONG_IN_MESSAGES).items():
            for match in pattern.finditer(words):
                around = words[max(0, match.start() - 40):match.end() + 40]
                excused = [each for each in allowed
                           if each[0] == name and each[1] in around]
                used.update(excused)
                if not excused:
                    found.append(f"{name}:{line}: \"{match.group()}\" ({better}): "
                                 f"... {around} ...")
    return found, used


def files():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout
    for name in listed.split("\0"):
        if name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md") \
           or (name.startswith("docs/") and name.endswith(".md")
               and not name.startswith("docs/decisions/")) \
           or (name.startswith(PAGES) and name.endswith((".js", ".html"))) \
           or (name.startswith(PRODUCT) and name.endswith((".cpp", ".hpp",
                                                           "usage.txt"))):
            yield name


def self_test():
    bad = 'fail("x is told " // why\n     "whoever asks");\nf("of which");'
    found, _ = complaints("cli/a.cpp", bad, [])
    assert len(found) == 3 and found[0].startswith("cli/a.cpp:1:"), found
    assert not complaints("cli/a.cpp", '// is told whoever\nf("told");', [])[0]
    assert not complaints("cli/a.cpp", 'f(R"(is told)");', [])[0]
    found, _ = complaints("a.js", "f('x is told'); // is told\nf(`${a} whoever asks`);", [])
    assert len(found) == 2 and found[1].startswith("a.js:2:"), found
    found, _ = complaints("a.html", '<p title="is told">\nwhoever asks</p><!-- goes on -->', [])
    assert len(found) == 2, found
    found, _ = complaints("docs/a.md", "It goes\non.\n\n    goes on\n`goes on`", [])
    assert len(found) == 1, found
    excuse = ("docs/a.md", "It goes on")
    found, used = complaints("docs/a.md", "It goes on", [excuse])
    assert not found and used == {excuse}


def main():
    if "--self-test" in sys.argv:
        self_test()
        return 0
    wrong, used = [], set()
    for name in files():
        path = ROOT / name
        if not path.is_file():
            continue
        found, excused = complaints(name, path.read_text(encoding="utf-8"),
                                    ALLOWED)
        wrong += found
        used |= excused
    wrong += [f"{each[0]}: no such words any more: \"{each[1]}\""
              for each in ALLOWED if each not in used]
    if len(ALLOWED) > 30:
        wrong.append("ALLOWED has more than 30 entries")
    for each in wrong:
        print(each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

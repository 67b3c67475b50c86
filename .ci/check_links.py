#!/usr/bin/env python3
"""Checks the links of the Markdown files, and that docs/README.md lists each page.

    .ci/check_links.py              check
    .ci/check_links.py --self-test  check this script

A relative link has to lead to a file or folder of the repository and, behind `#`, to a heading: its text in
lower case, without punctuation, with `-` for each blank, as the site of scripts/docs and GitHub make it.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")
INDEX = "docs/README.md"


def prose(text):
    """The text without blocks of code."""
    return re.sub(r"(?<=\n\n)(?: {4}.*\n|\n)+", "\n", FENCE.sub("", text))


def anchors(text):
    found, count = set(), {}
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", prose(text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w -]", "", plain.lower()).replace(" ", "-")
        again = count.get(slug, 0)
        count[slug] = again + 1
        found.add(f"{slug}-{again}" if again else slug)
    return found


def links(text):
    return LINK.findall(re.sub(r"(`+).+?\1", "code", prose(text)))


def faults(pages):
    """What is wrong with the links of `pages`, a map of paths to texts; `ROOT` has the other files."""
    found = []
    for page, text in pages.items():
        for link in links(text):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, anchor = link.partition("#")
            at = (ROOT / page).parent / name if name else ROOT / page
            target = pathlib.Path(at).resolve()
            inside = str(target.relative_to(ROOT)) if target.is_relative_to(ROOT) else None
            if inside is None or inside not in pages and not target.exists():
                found.append(f"{page}: ({link}) leads to no file")
            elif anchor and anchor not in anchors(pages.get(inside, "")):
                found.append(f"{page}: ({link}): {inside} has no such heading")
    return found


def unlisted(pages):
    listed = {str((ROOT / "docs" / link).resolve().relative_to(ROOT))
              for link in links(pages[INDEX]) if "://" not in link}
    return [f"{INDEX} does not list {page}" for page in pages
            if page.startswith("docs/") and not page.startswith("docs/decisions/") and page not in listed | {INDEX}]


def self_test():
    pages = {"a.md": "# One `b` & c\n\n# Two\n# Two\n[x](#one-b--c) [`y`](b.md#z) `[no](no.md)` [w](https://w/)\n\n"
                     "    [no](no.md)\n\n```\n[no](no.md)\n# Three\n```\n[t](#two-1) [n](#three) [m](none.md)\n",
             "b.md": "# Z\n[a](a.md#none)\n"}
    assert faults(pages) == ["a.md: (#three): a.md has no such heading", "a.md: (none.md) leads to no file",
                             "b.md: (a.md#none): a.md has no such heading"], faults(pages)
    pages = {INDEX: "[a](a.md)", "docs/a.md": "", "docs/b.md": "", "docs/decisions/1.md": ""}
    assert unlisted(pages) == [f"{INDEX} does not list docs/b.md"]


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT,
                            check=True, capture_output=True, text=True).stdout.split()
    pages = {name: (ROOT / name).read_text(encoding="utf-8") for name in listed if (ROOT / name).exists()}
    found = faults(pages) + unlisted(pages)
    for each in found:
        print(each)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

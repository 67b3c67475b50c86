#!/usr/bin/env python3
"""Compiles each file that a change touches alone, and lints it.

    .ci/alone.py BUILD [--base REV | --all] [--most N] [--lint N]

Builds compile several sources as one, behind precompiled headers, so a file can
live on what its neighbours include. Here each one stands alone: a source is
compiled as it is, without those headers, and read by clang-tidy; a header must
compile by itself. BUILD is a folder that cmake configured with
-DCONVENE_UNITY=OFF.

Without --base, the change is what the latest commits touched: the N files (16)
that were changed last; --base takes all since REV, --all every file. Reading a
source with clang-tidy takes five times as long as compiling it, so this is done
for the --lint N sources (4) that come first; with --all, for all unless N is
given.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True,
                          capture_output=True, text=True).stdout.splitlines()


def touched(base, most):
    """The C++ files that exist, those that were changed last first."""
    revisions = [f"{base}..HEAD"] if base else ["-n", "200", "HEAD"]
    names = dict.fromkeys(git("log", "--format=", "--name-only", *revisions))
    found = [n for n in names
             if n.endswith((".cpp", ".hpp")) and (ROOT / n).exists()
             # What comes before a page's code is none of its own.
             and not n.startswith("tests/docs/frames/")]
    return found if base else found[:most]


def commands(build):
    """By file, relative to the tree: the words of its compilation."""
    database = json.loads((build / "compile_commands.json").read_text())
    found = {}
    for entry in database:
        name = os.path.relpath(entry["file"], ROOT)
        words = shlex.split(entry["command"])
        cut = words.index("-o")
        found.setdefault(name, words[:cut] + words[cut + 2:])
    return found


def flags_for_header(name, known):
    """Those of a source of the same folder, else of any that uses a test."""
    folder = str(pathlib.Path(name).parent)
    source = next((n for n in known if str(pathlib.Path(n).parent) == folder),
                  None) or next((n for n in known if n.startswith(
                      name.split("/")[0] + "/")), None)
    if source is None:
        return None
    words = list(known[source])
    return words[:words.index("-c")]


def is_linted(name, known):
    return name in known and not name.startswith("tests/")


def check(name, known, lint):
    """What is wrong with one file; empty: nothing."""
    if name in known:
        words = known[name]
        command = [*words[:words.index("-c")], "-fsyntax-only", str(ROOT / name)]
    else:
        flags = flags_for_header(name, known)
        if flags is None:
            return ""
        command = [*flags, "-fsyntax-only",
                   "-x", "c++", str(ROOT / name)]
    done = subprocess.run(command, capture_output=True, text=True)
    # g++ has no flag against its warning about `#pragma once` in a main file.
    wrong = done.stderr if done.returncode else ""
    if not wrong and lint:
        words = known[name]
        flags = [w for w in words[1:words.index("-c")]
                 if not w.startswith("-Werror") and w != "-Wno-maybe-uninitialized"]
        done = subprocess.run(
            ["clang-tidy", "--quiet", str(ROOT / name), "--", *flags],
            cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            wrong = done.stdout
    return wrong


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("build", type=pathlib.Path)
    reader.add_argument("--base")
    reader.add_argument("--all", action="store_true")
    reader.add_argument("--most", type=int, default=16)
    reader.add_argument("--lint", type=int)
    chosen = reader.parse_args()
    known = commands(chosen.build)
    if chosen.all:
        names = [n for n in git("ls-files", "*.cpp", "*.hpp")
                 if n in known or n.endswith(".hpp")]
    else:
        names = [n for n in touched(chosen.base, chosen.most)
                 if n in known or n.endswith(".hpp")]
    linted = [n for n in names if is_linted(n, known)]
    if chosen.lint is not None or not chosen.all:
        linted = linted[:4 if chosen.lint is None else chosen.lint]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, wrong in zip(names, pool.map(
                lambda n: check(n, known, n in linted), names)):
            if wrong:
                failed += 1
                print(f"{name}:\n{wrong}")
    print(f"{len(names)} files alone, {len(linted)} of them linted, "
          f"{failed} with findings")
    return 1 if failed else 0


sys.exit(main())

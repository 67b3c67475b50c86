#!/usr/bin/env python3
"""Generates convene's man page from the program's --help.

    cmake/man.py PROGRAM PAGE
"""

import pathlib
import re
import subprocess
import sys

PROGRAM, PAGE = sys.argv[1:3]
HEADING = re.compile(r"(Usage|Positionals|Options|Subcommands|Example|"
                     r"Exit codes): ?(.*)")


def output(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True,
                          check=True, env={}).stdout


def escape(text):
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return r"\&" + text if text[:1] in (".", "'") else text


class Help:
    """The output of `convene COMMAND... --help`, by headings."""

    def __init__(self, *command):
        self.command = command
        about, self.parts, part = [], {}, None
        for line in output(*command, "--help").splitlines():
            if found := HEADING.match(line):
                part = self.parts.setdefault(found[1], [])
                if found[2]:
                    part.append(found[2])
            elif part is None:
                about.append(line)
            elif line.strip():
                part.append(line)
        self.about = " ".join(about).strip()

    def entries(self, heading):
        for line in self.parts.get(heading, []):
            name, _, about = line.strip().partition("  ")
            if not about and len(name) > 26:  # only one space was left
                name, _, about = name.partition(" ")
            yield name.strip(), about.strip()

    def subcommands(self):
        return [Help(*self.command, name)
                for name, _ in self.entries("Subcommands")]


def entries(of):
    for name, about in of:
        yield ".TP"
        yield rf"\fB{escape(name)}\fR"
        yield escape(about) or r"\&"


def command(of, common):
    words = " ".join(of.command)
    yield f'.SS "{escape(words)}"'
    yield escape(of.about) + "."
    for usage in of.parts.get("Usage", []):
        yield ".PP"
        yield rf"\fB{escape(usage)}\fR"
    yield from entries(of.entries("Positionals"))
    yield from entries(e for e in of.entries("Options") if e not in common)
    for codes in of.parts.get("Exit codes", []):
        yield ".PP"
        yield "Exit codes: " + escape(codes)
    yield from example(of)
    for sub in of.subcommands():
        yield from command(sub, common)


def example(of):
    """Commands are the first line and indented ones; the rest are notes."""
    lines = of.parts.get("Example", [])
    if not lines:
        return
    commands = [line for line in lines[1:] if line.startswith(" ")]
    yield from [".PP", ".EX"]
    yield from (escape(line.strip()) for line in lines[:1] + commands)
    yield ".EE"
    if notes := [line for line in lines[1:] if not line.startswith(" ")]:
        yield from [".PP", *map(escape, notes)]


def page():
    top = Help()
    version = output("--version").strip()
    commands = top.subcommands()
    options = list(top.entries("Options"))
    common = [e for e in options
              if all(e in c.entries("Options") for c in commands)]
    yield r'.\" Generated from --help by cmake/man.py.'
    yield f'.TH CONVENE 1 "" "{escape(version)}"'
    yield from [".SH NAME", r"convene \- " + escape(
        (top.about[:1].lower() + top.about[1:]).rstrip("."))]
    yield from [".SH SYNOPSIS", r"\fBconvene\fR [\fIOPTIONS\fR] "
                r"\fICOMMAND\fR [\fIARGUMENTS\fR]"]
    yield from [".SH DESCRIPTION", escape(top.about)]
    yield from example(top)
    yield from [".SH OPTIONS", "Of every command:"]
    yield from entries(common)
    yield from [".PP", "Without a command:"]
    yield from entries(e for e in options if e not in common)
    yield ".SH COMMANDS"
    for one in commands:
        yield from command(one, common)
    yield ".SH EXIT STATUS"
    yield from map(escape, top.parts.get("Exit codes", []))


pathlib.Path(PAGE).write_text("\n".join(page()) + "\n", encoding="utf-8")

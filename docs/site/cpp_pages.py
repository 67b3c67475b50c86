#!/usr/bin/env python3
"""Pages of the C++ and C reference, from the public headers, by Doxygen:

    cpp_pages.py FOLDER

writes FOLDER/<header>.md for each header of cmake/public_headers.txt, for those that the facade's
include, and for that of the C API. A warning of Doxygen is an error.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What an application meets first; the headers that they include belong to them.
FACADE = ["runtime/runtime.hpp", "runtime/setup.hpp", "modes/catalog.hpp", "server/server.hpp"]
SKIPPED = {"convene.hpp", "protocol/base/api.hpp"} # they declare nothing


def headers():
    listed = [line.partition("#")[0].strip() for line in (ROOT / "cmake/public_headers.txt").read_text().splitlines()]
    named = [each for each in listed if each] + FACADE + ["bindings/c/convene.h"]
    for each in FACADE:
        named += re.findall(r"^#include <convene/(.*)>", (ROOT / each).read_text(), re.M)
    return [each for each in dict.fromkeys(named) if each not in SKIPPED]


def run_doxygen(names, out):
    settings = (ROOT / "docs/site/Doxyfile").read_text() + f"INPUT = {' '.join(names)}\nOUTPUT_DIRECTORY = {out}\n"
    done = subprocess.run(["doxygen", "-"], input=settings, cwd=ROOT, text=True, capture_output=True, check=False)
    if done.returncode or done.stderr:
        sys.exit(f"doxygen: {done.stderr}")


def text_of(node):
    """All text of a node, in one line."""
    return " ".join("".join(node.itertext()).split()) if node is not None else ""


def prose(node):
    """Markdown of a description."""
    if node is None:
        return ""
    made = node.text or ""
    for each in node:
        inner = prose(each)
        made += {"computeroutput": f"`{inner}`", "bold": f"**{inner}**", "emphasis": f"*{inner}*",
                 "listitem": f"- {inner.strip()}\n", "itemizedlist": f"\n\n{inner}\n",
                 "orderedlist": f"\n\n{inner}\n", "para": f"{inner}\n\n", "ref": inner,
                 "verbatim": f"\n\n```text\n{inner}\n```\n\n", "ndash": "-", "mdash": "-"}.get(each.tag, inner)
        made += each.tail or ""
    return made


def about(node):
    text = prose(node.find("briefdescription")) + "\n\n" + prose(node.find("detaileddescription"))
    # Not within code: a reader of Markdown takes angle brackets for tags, and underscores and stars for emphasis.
    pieces = re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.S)
    text = "".join(piece if piece.startswith("`") else re.sub(r"([<{_*])", r"\\\1", piece) for piece in pieces)
    return re.sub(r"\n[ \n]*\n", "\n\n", text).strip()


def declaration(member):
    """As it stands in the header, on as many lines as it needs."""
    kind, name, type_words = member.get("kind"), text_of(member.find("name")), text_of(member.find("type"))
    template = ", ".join(text_of(each.find("type")) + " " + text_of(each.find("declname"))
                         for each in member.findall("templateparamlist/param"))
    made = f"template <{template.strip()}> " if template else ""
    if kind == "enum":
        return f"enum {'class ' if member.get('strong') == 'yes' else ''}{name}"
    if kind == "typedef" or type_words == "using":
        return text_of(member.find("definition"))
    made += f"{type_words} {name}".strip()
    if kind == "function":
        made += text_of(member.find("argsstring"))
    elif member.find("initializer") is not None and len(text_of(member.find("initializer"))) < 60:
        made += " " + text_of(member.find("initializer"))
    return made.replace("< ", "<").replace(" >", ">")


def member_lines(member, level):
    lines = [f"{'#' * level} {text_of(member.find('name'))}".replace("operator", "operator "),
             "", "```cpp", declaration(member), "```", "", about(member), ""]
    for value in member.findall("enumvalue"):
        words = about(value)
        lines.append(f"- `{text_of(value.find('name'))}`{': ' if words else ''}{words}")
    return lines + [""]


def fields(compound):
    """The members that only hold a value: a line each."""
    for member in compound.findall("sectiondef[@kind='public-attrib']/memberdef"):
        words = " ".join(about(member).split())
        yield f"- `{declaration(member)}`{': ' if words else ''}{words}"


def compound_lines(compound):
    name = text_of(compound.find("compoundname")).removeprefix("convene::")
    lines = [f"## {name.replace('<', chr(92) + '<')}", "", about(compound), "", *fields(compound), ""]
    for kind in ("public-type", "public-func", "public-static-func", "public-static-attrib"):
        for member in compound.findall(f"sectiondef[@kind='{kind}']/memberdef"):
            # What is deleted, and what compares or copies, needs no words.
            if about(member):
                lines += member_lines(member, 3)
    return lines


def page(header, root, folder):
    """Markdown of a header: its types, then its functions and constants."""
    lines = [f"# {header}", "", f"`#include <convene/{header}>`", ""]
    for inner in root.findall("compounddef/innerclass[@prot='public']"):
        compound = xml.parse(folder / f"{inner.get('refid')}.xml").find("compounddef")
        if about(compound) or compound.findall("sectiondef/memberdef"):
            lines += compound_lines(compound)
    for member in root.findall("compounddef/sectiondef/memberdef"):
        if about(member):
            lines += member_lines(member, 2)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True)
    names = headers()
    with tempfile.TemporaryDirectory() as work:
        run_doxygen(names, work)
        folder = pathlib.Path(work) / "xml"
        for file in folder.glob("*_8h*.xml"):
            root = xml.parse(file).getroot()
            header = root.find("compounddef/location").get("file")
            (out / (header.replace("/", ".") + ".md")).write_text(page(header, root, folder))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Pages of reference from what the program says of itself, for scripts/docs:

    schema_pages.py scenario <SCHEMA     the members of a scenario, from its JSON Schema
    schema_pages.py http <OPENAPI        the server's endpoints, from its OpenAPI document
"""

import json
import re
import sys


def text_of(value):
    """JSON on a line, in a table's cell."""
    return "`" + json.dumps(value, ensure_ascii=False).replace("|", "\\|").replace("`", "'") + "`"


def of_scenario(name):
    return name == "convene-scenario" or name.startswith("convene-scenario.")


def cell(text):
    """Prose in a table's cell. A reader of Markdown takes angle brackets for tags."""
    text = " ".join(text.split()).replace("|", "\\|").replace("<", "\\<").replace("{{", "{ {").replace("*", "\\*")
    return re.sub(r"https?://\S*[^\s.,;:)]", r"`\g<0>`", text) # no links


def link(reference):
    """What is of a scenario has a page of its own; the slug is that of config.mjs."""
    path = reference.removeprefix("#/").split("/")
    name = path[1] if path[0] == "definitions" else "scenario" if path[0] == "properties" else path[2]
    if of_scenario(name):
        name = (name.split(".") + ["properties"])[1].replace("properties", "scenario")
        return f"[{name}](scenario.md#{name})"
    return f"[{name}](#{re.sub('[^a-z0-9_ -]', '', name.lower())})"


def type_of(schema):
    """What a value is, in a few words."""
    if schema is True or not schema:
        return "anything"
    if "$ref" in schema:
        return link(schema["$ref"])
    if "const" in schema:
        return text_of(schema["const"])
    if "enum" in schema:
        return ", ".join(text_of(each) for each in schema["enum"])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            kinds = dict.fromkeys(type_of(each) for each in schema[several])
            return " or ".join(kinds)
    kinds = schema.get("type", "anything")
    words = " or ".join(kinds) if isinstance(kinds, list) else kinds
    if "array" in kinds and isinstance(schema.get("items"), dict):
        return words + " of " + type_of(schema["items"])
    if "object" in kinds and isinstance(schema.get("additionalProperties"), dict):
        return words + " of " + type_of(schema["additionalProperties"])
    return words


def bounds_of(schema):
    """Default and limits, as far as a schema has them."""
    if not isinstance(schema, dict):
        return ""
    names = {"default": "default", "minimum": "at least", "exclusiveMinimum": "over", "maximum": "at most",
             "exclusiveMaximum": "under", "minLength": "characters, at least", "maxLength": "characters, at most",
             "minItems": "items, at least", "maxItems": "items, at most", "maxProperties": "members, at most"}
    return "; ".join(f"{words} {text_of(schema[name])}" for name, words in names.items() if name in schema)


def rows_of(schema, at=""):
    """Rows for the members, and for those of objects that have no name of their own."""
    required = schema.get("required", [])
    for name, member in schema.get("properties", {}).items():
        member = member if isinstance(member, dict) else {}
        about = cell(member.get("description", ""))
        bounds = bounds_of(member)
        yield (f"| `{at}{name}`{' (required)' if name in required else ''} | {type_of(member)} | "
               f"{about}{' ' if about and bounds else ''}{bounds} |")
        inner = member.get("items", member) if member.get("type") == "array" else member
        if isinstance(inner, dict) and "properties" in inner:
            yield from rows_of(inner, f"{at}{name}{'[]' if inner is not member else ''}.")


def table(schema):
    """Lines that describe a schema."""
    lines = []
    if schema.get("description"):
        lines += [cell(schema["description"]), ""]
    for part in [schema, *schema.get("allOf", [])]:
        if "$ref" in part and part is not schema:
            lines += [f"Also: {link(part['$ref'])}.", ""]
        rows = list(rows_of(part))
        if rows:
            lines += ["| member | value | |", "|---|---|---|", *rows, ""]
    if not any(each.startswith("|") for each in lines):
        bounds = bounds_of(schema)
        lines += [type_of(schema) + (f"; {bounds}" if bounds else ""), ""]
    return lines


def scenario(schema):
    lines = ["# Scenario: every member", "",
             "From the schema that `convene schemas show convene-scenario` prints. [Scenarios](../scenarios.md) "
             "explains how they go together.", "", "## scenario", "", *table(schema)]
    for name, each in sorted(schema["definitions"].items()):
        lines += [f"## {name}", "", *table(each)]
    return lines


def parameters_of(operation, document):
    for each in operation.get("parameters", []):
        if "$ref" in each:
            each = document["components"]["parameters"][each["$ref"].rpartition("/")[2]]
        yield (f"| `{each['name']}`{' (required)' if each.get('required') else ''} | {each['in']} | "
               f"{type_of(each.get('schema', {}))} | {cell(each.get('description', ''))} |")


def body_of(content):
    """Lines for the body of a request or an answer."""
    for kind, what in content.items():
        schema = what.get("schema", {})
        if "$ref" in schema or "properties" not in schema:
            yield f"`{kind}`: {type_of(schema)}. {cell(schema.get('description', ''))}".rstrip()
        else:
            yield f"`{kind}`:"
            yield ""
            yield from table(schema)
        yield ""


def operation_lines(method, path, operation, document):
    lines = [f"## {method.upper()} {path}", "", cell(operation.get("summary", "")) + ".", ""]
    scopes = sorted({scope for each in operation.get("security", []) for all_of in each.values() for scope in all_of})
    if scopes:
        lines += ["The key needs " + ", ".join(f"`{each}`" for each in scopes) + ".", ""]
    rows = list(parameters_of(operation, document))
    if rows:
        lines += ["| parameter | in | value | |", "|---|---|---|---|", *rows, ""]
    if "requestBody" in operation:
        lines += ["The body:", "", *body_of(operation["requestBody"].get("content", {}))]
    for status, answer in operation.get("responses", {}).items():
        if status != "default" and int(status) < 400:
            lines += [f"**{status}**: {cell(answer.get('description', ''))}", "", *body_of(answer.get("content", {}))]
    refused = [status for status in operation.get("responses", {}) if status != "default" and int(status) >= 400]
    if refused:
        lines += ["Errors: " + ", ".join(refused) + ", others by their code.", ""]
    return lines


def http(document):
    lines = ["# HTTP: every endpoint", "",
             "From the document that a server has at `/openapi.json`. [The server](../server.md) explains keys, limits, "
             "errors and streams.", ""]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if isinstance(operation, dict):
                lines += operation_lines(method, path.replace("{", "\\{"), operation, document)
    for name, each in sorted(document["components"]["schemas"].items()):
        if of_scenario(name):
            continue
        lines += [f"## {name}", "", *table(each)]
    return lines


if __name__ == "__main__":
    print("\n".join({"scenario": scenario, "http": http}[sys.argv[1]](json.load(sys.stdin))))

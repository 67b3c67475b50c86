"""What tests say when something is not as it must be."""

import json
import time

SHOWN_MAX = 2000


class Failed(Exception):
    """What a test has found."""


def show(value):
    """A value on one line, cut if it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_MAX else text[:SHOWN_MAX] + f"... ({len(text)} characters)"


def ensure(condition, *said):
    if not condition:
        raise Failed(" ".join(show(each) for each in said))


def same(one, other):
    """Whether two JSON values are equal: true is not 1, the order of members does not count."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def equal(what, got, wanted):
    if same(got, wanted):
        return
    if isinstance(got, list) and isinstance(wanted, list) and len(show(wanted)) > 300:
        differing(what, got, wanted)
    raise Failed(f"{what}: {show(got)} instead of {show(wanted)}")


def differing(what, got, wanted):
    """Says where two long lists begin to differ."""
    place = next((place for place, pair in enumerate(zip(got, wanted)) if not same(*pair)),
                 min(len(got), len(wanted)))
    raise Failed(f"{what}: {len(got)} instead of {len(wanted)}; from the one at {place} on "
                 f"{show(got[place:place + 3])} instead of {show(wanted[place:place + 3])}")


def among(what, got, wanted):
    ensure(got in wanted, f"{what}: {show(got)} instead of one of {show(sorted(wanted))}")


def holds(what, got, wanted):
    """An object has these members with these values, and maybe others."""
    ensure(isinstance(got, dict), f"{what}: {show(got)} instead of an object")
    for name, value in wanted.items():
        ensure(name in got, f"{what}: no member {name} in {show(got)}")
        equal(f"{what}: {name}", got[name], value)


def eventually(what, ask, limit=120.0, pause=0.015):
    """Asks until the answer is true, which is returned, for `limit` seconds."""
    end = time.monotonic() + limit
    while True:
        found = ask()
        if found:
            return found
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {limit} s")
        time.sleep(pause)


def unique_members(pairs):
    """Reads an object of JSON; for json.loads."""
    made = dict(pairs)
    ensure(len(made) == len(pairs), "an object has a member twice:", [name for name, _ in pairs])
    return made


def parse(text, what):
    try:
        return json.loads(text, object_pairs_hook=unique_members)
    except ValueError as wrong:
        raise Failed(f"{what}: not JSON ({wrong}): {show(str(text))}") from None

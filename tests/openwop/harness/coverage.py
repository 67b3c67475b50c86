"""Which tests docs/openwop-coverage.md names for the published scenarios."""

import re

SCENARIOS = 36  # files of the published suite, version 1.0.0


def faults_of(page, names):
    """What the page says wrong of these tests."""
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| ")]
    named = {cells[1].strip(): re.findall(r"`(\w+\.\w+)`", cells[-2]) for cells in rows}
    for scenario, tests in named.items():
        yield from (f"{scenario}: there is no test {each}" for each in tests if each not in names)
    count = sum(1 for cells in rows if len(cells) == 5 and cells[1].strip() != "scenario")
    if count != SCENARIOS:
        yield f"{count} scenarios instead of {SCENARIOS}"
    yield from (f"{scenario}: no test is named" for scenario, tests in named.items()
                if not tests and scenario not in ("scenario", "what"))

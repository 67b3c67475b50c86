"""Fixtures for pytest: a runtime in virtual time, whose seed a failure shows."""
from __future__ import annotations

import random
from typing import Iterator

import pytest

from ._runtime import Runtime


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("convene").addoption(
        "--convene-seed", type=int, metavar="SEED",
        help="seed of the fixture convene_runtime (default: a random one, shown on failure)")


@pytest.fixture
def convene_seed(request: pytest.FixtureRequest) -> int:
    """The seed of this test. A module may have a fixture of this name instead."""
    given = request.config.getoption("--convene-seed")
    return random.randrange(2**32) if given is None else int(given)


@pytest.fixture
def convene_runtime(request: pytest.FixtureRequest, convene_seed: int) -> Iterator[Runtime]:
    """A runtime in memory, in virtual time, closed after the test."""
    request.node.add_report_section(
        "setup", "convene", f"seed {convene_seed}; again with --convene-seed={convene_seed}")
    with Runtime(seed=convene_seed) as runtime:
        yield runtime

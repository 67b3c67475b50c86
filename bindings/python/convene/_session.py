"""Sessions to be run."""
from __future__ import annotations

import json
import os
import pathlib
import threading
from typing import Any, Optional, Sequence, Union

from ._handles import RunningSession
from ._runtime import Runtime
from ._turns import Agent

_default: Optional[Runtime] = None
_default_lock = threading.Lock()


def default_runtime() -> Runtime:
    """A runtime in memory, made once and closed at the end of the program."""
    global _default
    with _default_lock:
        if _default is None or _default._closed:
            _default = Runtime()
        return _default


class Session:
    """A session to be run. Give `mode`, `participants` and `task`, or a
    `scenario`: a dict, or the path of a JSON file with all documents embedded.
    `participants` are agents, or dicts with participant_id, role_id and behaviour
    (as in a scenario). `options` are the scenario's `session`."""

    def __init__(self, *, mode: str = "round_robin",
                 participants: Sequence[Union[Agent, dict[str, Any]]] = (), task: str = "",
                 title: str = "", purpose: str = "",
                 options: Optional[dict[str, Any]] = None,
                 scenario: Union[dict[str, Any], str, os.PathLike[str], None] = None,
                 runtime: Optional[Runtime] = None):
        for each in participants:
            if not isinstance(each, (Agent, dict)) or (scenario is not None and not isinstance(each, Agent)):
                others = ", or a dict" if scenario is None else ""
                raise TypeError(f"a participant is an agent, made by @convene.agent{others}; "
                                f"not a {type(each).__name__}")
        self.agents = [each for each in participants if isinstance(each, Agent)]
        self._runtime = runtime
        if scenario is not None:
            if task or title or purpose or options or mode != "round_robin":
                raise TypeError("a scenario has its own mode, task, title, purpose and options: "
                                "change them there")
            self.scenario: dict[str, Any] = scenario if isinstance(scenario, dict) \
                else json.loads(pathlib.Path(scenario).read_text("utf-8"))
            return
        roster: list[dict[str, Any]] = []
        behaviours: dict[str, Any] = {}
        for each in participants:
            if isinstance(each, Agent):
                each = {"participant_id": each.participant_id, "kind": each.kind,
                        "role_id": each.role_id}
            entry = {"kind": "agent", **each}
            if "behaviour" in entry:
                behaviours[str(entry.get("participant_id"))] = entry.pop("behaviour")
            roster.append(entry)
        self.scenario = {
            "convene": "1", "task": task or title or "session", "behaviours": behaviours,
            "collab": {"title": title or task or "session", "purpose": purpose or task or "session",
                       "mode": mode, "participants": roster}}
        if options:
            self.scenario["session"] = options

    def start(self) -> RunningSession:
        """Starts it, in the given runtime or the default one."""
        return (self._runtime or default_runtime()).start(self.scenario, self.agents)

    async def run(self) -> dict[str, Any]:
        """Runs it to its end and returns what result.json has."""
        result: dict[str, Any] = await self.start()
        return result

    def run_blocking(self, timeout: Optional[float] = None) -> dict[str, Any]:
        """The same without asyncio."""
        return self.start().result(timeout)

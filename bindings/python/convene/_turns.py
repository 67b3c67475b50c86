"""What a participant is asked, and what it replies."""
from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
import threading
from typing import Any, Awaitable, Callable, Optional, Union

from . import _library
from ._actions import Attempt, Steps, attempted, awaited, carry_out, describe, position_of, turn_over


@dataclasses.dataclass
class Reply:
    """A participant's reply; members at their defaults are left out."""
    content: str = ""
    status: str = "completed"  #: or "failed", "declined"
    writes: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    claim: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    handoff: Optional[dict[str, Any]] = None
    tasks: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    vote: Optional[dict[str, Any]] = None
    decision: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    end: bool = False
    usage: Optional[dict[str, int]] = None
    reasoning: list[str] = dataclasses.field(default_factory=list)
    result: Optional[dict[str, Any]] = None
    error: Optional[dict[str, str]] = None

    def to_json(self) -> dict[str, Any]:
        default = Reply.__dataclass_fields__
        return {name: value for name, value in self.__dict__.items()
                if value and value != default[name].default}


class Turn:
    """A request to a participant. `request` is all of it, as programs get it."""

    def __init__(self, handle: _library.Handle, request: dict[str, Any]):
        self._handle: Optional[_library.Handle] = handle
        self._lock = threading.Lock()
        self._actions: dict[str, int] = {}
        self.request = request

    @property
    def session_id(self) -> str:
        return str(self.request["session"]["session_id"])

    @property
    def participant_id(self) -> str:
        return str(self.request["participant"]["participant_id"])

    @property
    def wanted(self) -> str:
        """turn, broadcast, decision, vote or escalation"""
        return str(self.request["wanted"])

    @property
    def task(self) -> str:
        return str(self.request["task"])

    @property
    def token(self) -> str:
        return str(self.request["token"])

    @property
    def dialog(self) -> list[dict[str, Any]]:
        return list(self.request["dialog"])

    @property
    def resources(self) -> list[dict[str, Any]]:
        return list(self.request["workspace"]["resources"])

    @property
    def is_over(self) -> bool:
        """Whether nobody waits for the reply any more."""
        with self._lock:
            return self._handle is None or _library.is_over(self._handle)

    def write(self, resource_type: str, resource_id: str, base_version: int, value: Any,
              op: str = "put") -> bool:
        """Writes before the reply. False: the turn is over."""
        return self._say("write", {"resource_type": resource_type, "resource_id": resource_id,
                                   "base_version": base_version, "op": op, "value": value})

    def claim(self, resource_type: str, resource_id: str) -> bool:
        """Claims before the reply. False: the turn is over."""
        return self._say("claim", {"resource_type": resource_type, "resource_id": resource_id})

    def stream(self, text: str) -> bool:
        """Shows a piece of the reply's text before the reply, to `Runtime.events(texts=True)`.
        It is not on the log. False: the turn is over."""
        with self._lock:
            if self._handle is None:
                return False
            return _library.call("stream", self._handle, text) == _library.OK

    def act(self, name: str, arguments: Any, function: Callable[[Attempt], Any], *,
            position: Optional[str] = None, repeatable: bool = False, kind: str = "function",
            usage: Optional[Callable[[Any], dict[str, int]]] = None) -> Any:
        """Calls a function that does something outside of the session, such as a tool; the log
        has it when it begins and when it ends. In a turn that comes again after a crash or a
        suspension, the recorded output is returned and the function is not called. Returns the
        output as JSON has it. `position` is its place in the turn; without one, it follows from
        name, arguments and how often the turn had both. Blocks: coroutines use `act_async`."""
        steps = self._begin(name, arguments, position, repeatable, kind, usage)
        given: Any = None
        while True:
            try:
                wanted = steps.send(given)
            except StopIteration as done:
                return done.value
            given = attempted(function, wanted) if isinstance(wanted, Attempt) else wanted(-1)

    async def act_async(self, name: str, arguments: Any,
                        function: Callable[[Attempt], Union[Any, Awaitable[Any]]], *,
                        position: Optional[str] = None, repeatable: bool = False,
                        kind: str = "function",
                        usage: Optional[Callable[[Any], dict[str, int]]] = None) -> Any:
        """The same in a coroutine; the function may be one, too."""
        steps = self._begin(name, arguments, position, repeatable, kind, usage)
        given: Any = None
        while True:
            try:
                wanted = steps.send(given)
            except StopIteration as done:
                return done.value
            if isinstance(wanted, Attempt):
                given = attempted(function, wanted)
                if given[1] is None and inspect.isawaitable(given[0]):
                    given = await awaited(given[0])
            else:
                given = wanted(0) or await asyncio.get_running_loop().run_in_executor(
                    None, wanted, -1)

    def _begin(self, name: str, arguments: Any, position: Optional[str], repeatable: bool,
               kind: str, usage: Optional[Callable[[Any], dict[str, int]]]) -> Steps:
        what = {"name": name, "arguments": arguments, "repeatable": repeatable, "kind": kind}
        with self._lock:
            what["position"] = position or position_of(name, arguments, self._actions)
            if self._handle is None:
                raise turn_over()
            _, action = _library.make("act", self._handle, json.dumps(what))
        return carry_out(action, name, usage)

    def _say(self, how: str, what: dict[str, Any]) -> bool:
        with self._lock:
            if self._handle is None:
                return False
            return _library.call(how, self._handle, json.dumps(what)) == _library.OK

    def _end(self, reply: dict[str, Any]) -> None:
        """Answers; a reply that is not valid fails the turn with the reason."""
        try:
            self._say("answer", reply)
        except Exception as refused:  # also one that json raises
            self._say("answer", _failed("reply_invalid", refused))
        finally:
            with self._lock:
                handle, self._handle = self._handle, None
            if handle is not None:
                _library.free("request", handle)


def _failed(code: str, what: BaseException) -> dict[str, Any]:
    return {"status": "failed", "error": {"code": code, "message": describe(what)}}


Answer = Union[Reply, str, dict[str, Any], None]
Function = Callable[[Turn], Union[Answer, Awaitable[Answer]]]


def _encoded(answer: Answer) -> dict[str, Any]:
    if answer is None:
        return {}
    if isinstance(answer, str):
        return {"content": answer}
    if isinstance(answer, Reply):
        return answer.to_json()
    if isinstance(answer, dict):
        return answer
    raise TypeError(f"a reply is a Reply, str, dict or None, not {type(answer).__name__}")


@dataclasses.dataclass(frozen=True)
class Agent:
    """A participant and the function that answers for it."""
    participant_id: str
    role_id: str
    function: Function
    kind: str = "agent"


def agent(participant_id: str, role: Optional[str] = None,
          kind: str = "agent") -> Callable[[Function], Agent]:
    """Makes a participant of a function, which may be a coroutine."""
    def made(function: Function) -> Agent:
        return Agent(participant_id, role or f"role-{participant_id}", function, kind)
    return made

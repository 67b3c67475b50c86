"""What a participant does outside of its session."""
from __future__ import annotations

import dataclasses
import hashlib
import json
import threading
from typing import Any, Awaitable, Callable, Generator, Optional, Union

from . import _library
from ._library import ConveneError

_DIGITS = 16
_THREW = "attempt_threw"
_CHARACTERS_MAX = 2000  # of an exception's text on the log


@dataclasses.dataclass(frozen=True)
class Attempt:
    """An attempt at an action."""
    number: int  #: from 1; above it, the action had begun before a crash
    idempotency_key: str  #: the same for all attempts at this action
    timeout_ms: int  #: what is left of the turn
    traceparent: Optional[str] = None
    tracestate: Optional[str] = None


#: Output and exception of an attempt.
Ended = tuple[Any, Optional[BaseException]]
#: Yields what to do: an attempt, which is answered by how it ended, or a function that waits
#: for the next step, which is answered by that.
Steps = Generator[Union[Attempt, Callable[[int], Any]], Any, Any]


def turn_over() -> ConveneError:
    return ConveneError("turn_over", "the turn was over before the action was")


def position_of(name: str, arguments: Any, counts: dict[str, int]) -> str:
    """The place of an action: it follows from what is done, and from how often that was done
    before in the turn, as `counts` has it."""
    text = json.dumps([name, arguments], sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
    before = counts.get(digest, 0)
    counts[digest] = before + 1
    return f"{digest}.{before}"


def attempted(function: Callable[[Attempt], Any], attempt: Attempt) -> Ended:
    try:
        return function(attempt), None
    except Exception as raised:
        return None, raised


async def awaited(output: Awaitable[Any]) -> Ended:
    try:
        return await output, None
    except Exception as raised:
        return None, raised


def describe(raised: BaseException) -> str:
    """An exception as a short text that JSON can hold."""
    try:
        text = str(raised)
    except Exception:  # it is the agent's own
        text = "its text cannot be made"
    short = f"{type(raised).__name__}: {text}"[:_CHARACTERS_MAX]
    return short.encode(errors="replace").decode()  # without lone surrogates


def carry_out(action: _library.Handle, name: str,
              usage: Optional[Callable[[Any], dict[str, int]]]) -> Steps:
    """Carries out an action unless the log has its result. Frees it."""
    in_use = threading.Lock()  # a coroutine may be cancelled while a thread waits for it

    def step(timeout_ms: int) -> Any:
        with in_use:
            code, found = _library.ask("action_next", action, timeout_ms)
        if code == _library.OVER:
            raise turn_over()
        return found

    raised: Optional[BaseException] = None
    was_run = False
    try:
        found = yield step
        if "attempt" in found:
            output, raised = yield Attempt(**found["attempt"])
            was_run = True
            raised = _end(action, output, raised, usage)
            found = yield step
        result = found["result"]
        if result["status"] == "completed":
            return result.get("output")
        error = result.get("error", {})
        if raised is not None and error.get("code") == _THREW:
            raise raised
        raise ConveneError(error.get("code", result["status"]), error.get("message", ""),
                           {"action": name,
                            "is_recorded": not was_run and error.get("code") == _THREW})
    finally:
        with in_use:
            _library.free("action", action)


def _end(action: _library.Handle, output: Any, raised: Optional[BaseException],
         usage: Optional[Callable[[Any], dict[str, int]]]) -> Optional[BaseException]:
    """Reports how the attempt ended; the exception that it ended with."""
    if raised is None:
        try:
            result: dict[str, Any] = {"status": "completed", "output": output}
            if usage is not None:
                result["usage"] = usage(output)
            _library.call("action_end", action, json.dumps(result))
            return None
        except Exception as refused:  # of json, or by the library
            raised = refused
    error = {"code": _THREW, "message": describe(raised)}
    _library.call("action_end", action, json.dumps({"status": "failed", "error": error}))
    return raised

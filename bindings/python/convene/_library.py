"""The C library, called by ctypes."""
from __future__ import annotations

import ctypes
import json
import os
import pathlib
from typing import Any, Optional

OK, TIMEOUT, ENDED, OVER = 0, 1, 2, 3
ABI_VERSION = 0

Handle = ctypes.c_void_p


class ConveneError(Exception):
    """A failure of the library. `code` is like "not_allowed", `rule` names what
    was broken, like "participant_unbound", or is None."""

    def __init__(self, code: str, message: str, details: Optional[dict[str, Any]] = None):
        self.code = code
        self.message = message
        self.details = details or {}
        pointer = self.details.get("pointer")
        super().__init__(f"{pointer}: {message}" if pointer else message)

    @property
    def rule(self) -> Optional[str]:
        return self.details.get("rule")


def _path() -> str:
    named = os.environ.get("CONVENE_LIBRARY")
    if named:
        return named
    beside = pathlib.Path(__file__).parent / "libs" / "libconvene.so.0"
    if beside.exists():
        return str(beside)
    return "libconvene.so.0"  # where the loader looks


def _load() -> ctypes.CDLL:
    try:
        found = ctypes.CDLL(_path())
    except OSError as failed:
        raise ImportError(
            f"libconvene.so.0 cannot be loaded ({failed}): install convene, or set "
            "CONVENE_LIBRARY to the path of the library") from failed
    if found.convene_abi_version() != ABI_VERSION:
        raise ImportError(f"{_path()} has another ABI version than {ABI_VERSION}")
    text, out, time = ctypes.c_char_p, ctypes.POINTER(Handle), ctypes.c_int64
    arguments: dict[str, list[Any]] = {
        "open": [text, out], "close": [Handle], "recovered": [Handle, out],
        "recovered_session": [Handle, text, out], "start": [Handle, text, text, out],
        "status": [Handle, out], "await": [Handle, time, out], "cancel": [Handle, text],
        "suspend": [Handle, text], "resume": [Handle], "message": [Handle, text, text],
        "next_request": [Handle, time, out], "answer": [Handle, text],
        "write": [Handle, text], "claim": [Handle, text], "stream": [Handle, text], "act": [Handle, text, out],
        "action_next": [Handle, time, out], "action_end": [Handle, text],
        "subscribe": [Handle, text, out], "next_event": [Handle, time, out],
        **{each: [text, text, out]
           for each in ("check", "replay", "validate", "simulate", "study")}}
    for name, types in arguments.items():
        getattr(found, "convene_" + name).argtypes = [*types, out]
    for name in ("runtime", "session", "request", "action", "subscription"):
        function = getattr(found, f"convene_{name}_free")
        function.argtypes, function.restype = [Handle], None
    for name, kind in (("session_id", text), ("request_json", text), ("version", text)):
        getattr(found, "convene_" + name).restype = kind
    for name in ("session_id", "request_json", "request_over", "wake"):
        getattr(found, "convene_" + name).argtypes = [Handle]
    found.convene_free.argtypes, found.convene_free.restype = [Handle], None
    found.convene_wake.restype = found.convene_interrupt.restype = None
    found.convene_interrupt.argtypes = []
    return found


_library = _load()
_is_used = False       # it may have threads
_is_inherited = False  # by a fork, without these threads


def _after_fork() -> None:
    global _is_inherited
    _is_inherited = _is_used


os.register_at_fork(after_in_child=_after_fork)


def is_inherited() -> bool:
    """Whether this is the child of a process that used the library: here it
    would wait for threads that are not there."""
    return _is_inherited


def version() -> str:
    """The version of the library."""
    return str(_library.convene_version().decode())


def _take(text: Handle) -> Any:
    """The JSON of a text that the library gave us, which is freed."""
    try:
        return json.loads(ctypes.string_at(text.value or 0))
    finally:
        _library.convene_free(text)


def call(name: str, *arguments: Any) -> int:
    """Calls a function that can fail. Strings are passed as UTF-8."""
    global _is_used
    if _is_inherited:
        raise ConveneError("not_allowed", "this process was forked from one that had used "
                           "convene: start it as a new one, such as by "
                           "multiprocessing.get_context('spawn')", {"rule": "forked"})
    if any("\0" in each for each in arguments if isinstance(each, str)):
        raise ConveneError("usage", "a text contains the character U+0000", {"rule": "text"})
    _is_used = True
    error = Handle()
    code = getattr(_library, "convene_" + name)(
        *(each.encode() if isinstance(each, str) else each for each in arguments),
        ctypes.byref(error))
    if code > OVER:
        what = _take(error) if error.value else {}
        raise ConveneError(what.get("code", "internal"), what.get("message", f"code {code}"),
                           what.get("details"))
    return int(code)


def ask(name: str, *arguments: Any) -> tuple[int, Any]:
    """Calls a function whose last result is JSON text; None: there was none."""
    text = Handle()
    code = call(name, *arguments, ctypes.byref(text))
    return code, _take(text) if text.value else None


def make(name: str, *arguments: Any) -> tuple[int, Handle]:
    """Calls a function whose last result is a handle, which may be empty."""
    made = Handle()
    return call(name, *arguments, ctypes.byref(made)), made


def free(kind: str, handle: Handle) -> None:
    if not _is_inherited:
        getattr(_library, f"convene_{kind}_free")(handle)


def wake(runtime: Handle) -> None:
    _library.convene_wake(runtime)


def interrupt() -> None:
    """Has simulations and studies that run now return soon."""
    _library.convene_interrupt()


def request_json(request: Handle) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(_library.convene_request_json(request))
    return made


def is_over(request: Handle) -> bool:
    return bool(_library.convene_request_over(request))

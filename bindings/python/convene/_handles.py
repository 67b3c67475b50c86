"""What was subscribed to, and what was started."""
from __future__ import annotations

import asyncio
import concurrent.futures
import json
import threading
from typing import Any, AsyncIterator, Iterator, Optional

from . import _library

SLICE_MS = 200  # how long a thread is in the library before it looks around


class Events:
    """Events as they are logged, for `for` and `async for`. If the reader is too slow,
    {"missed": n} replaces n events. Ends with the runtime or by close."""

    def __init__(self, runtime: _library.Handle, selected: dict[str, Any]):
        _, self._handle = _library.make("subscribe", runtime, json.dumps(selected))
        self._lock = threading.Lock()
        self._closed = False

    def next(self, timeout_ms: int) -> tuple[int, Optional[dict[str, Any]]]:
        with self._lock:
            if self._closed:
                return _library.ENDED, None
            code, event = _library.ask("next_event", self._handle, timeout_ms)
        return code, event

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                _library.free("subscription", self._handle)
            self._closed = True

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            code, event = self.next(SLICE_MS)
            if event is not None:
                yield event
            elif code == _library.ENDED:
                return

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        loop = asyncio.get_running_loop()
        while True:
            code, event = await loop.run_in_executor(None, self.next, SLICE_MS)
            if event is not None:
                yield event
            elif code == _library.ENDED:
                return

    def __del__(self) -> None:
        if hasattr(self, "_lock"):
            self.close()


class RunningSession:
    """A session that was started. Thread-safe."""

    def __init__(self, handle: _library.Handle, session_id: str):
        self._handle = handle
        self.session_id = session_id
        self._ended: concurrent.futures.Future[dict[str, Any]] = concurrent.futures.Future()

    def result(self, timeout: Optional[float] = None) -> dict[str, Any]:
        """Waits for the end and returns what result.json has. Raises
        ConveneError if the session stopped with an error, TimeoutError after
        `timeout` seconds. Not to be called in a coroutine."""
        try:
            return self._ended.result(timeout)
        except concurrent.futures.TimeoutError:
            raise TimeoutError(f"session {self.session_id} has not ended") from None

    def __await__(self) -> Any:
        return asyncio.shield(asyncio.wrap_future(self._ended)).__await__()

    @property
    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = _library.ask("status", self._handle)[1]
        return found

    def cancel(self, reason: str = "") -> None:
        _library.call("cancel", self._handle, reason)

    def suspend(self, reason: str = "") -> None:
        _library.call("suspend", self._handle, reason)

    def resume(self) -> None:
        _library.call("resume", self._handle)

    def message(self, text: str, participant: Optional[str] = None) -> None:
        """Sends a message that is not a reply; `participant` is human or external."""
        _library.call("message", self._handle, text, participant)

    def _look(self, timeout_ms: int) -> bool:
        """Whether it has ended, which those who wait learn."""
        if self._ended.done():
            return True
        try:
            code, result = _library.ask("await", self._handle, timeout_ms)
        except _library.ConveneError as failed:
            self._ended.set_exception(failed)
            return True
        if code == _library.OK:
            self._ended.set_result(result)
        return code == _library.OK

    def __del__(self) -> None:
        _library.free("session", self._handle)

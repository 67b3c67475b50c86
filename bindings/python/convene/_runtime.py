"""Runtimes."""
from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import inspect
import json
import os
import queue
import random
import threading
import uuid
import weakref
from typing import Any, Mapping, Optional, Sequence

from . import _library
from ._handles import SLICE_MS, Events, RunningSession
from ._turns import Agent, Turn, _encoded, _failed

_runtimes: weakref.WeakSet[Runtime] = weakref.WeakSet()
_answering = threading.local()  # .runtime: whose function runs in this thread


class _Binding:
    """Who answers in a session, and where its coroutines run; None: on the
    runtime's own loop."""

    def __init__(self, agents: Mapping[str, Agent], loop: Optional[asyncio.AbstractEventLoop]):
        self.agents = agents
        self.loop = loop


class Runtime:
    """Runs sessions. `options` are those of convene_open: log, seed, allow and so
    on. `agents` answer in the sessions that the log has. Thread-safe; a context
    manager, which cancels what runs at its end."""

    def __init__(self, *, agents: Sequence[Agent] = (), workers: int = 32, **options: Any):
        self._agents = {each.participant_id: each for each in agents}
        if "log" in options:
            options["log"] = os.fspath(options["log"])
        if agents:
            options["participants"] = list(self._agents)
        self._seed: Optional[int] = options.get("seed")
        self._begun = 0
        self._due: queue.SimpleQueue[Optional[RunningSession]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._bindings: dict[str, _Binding] = {}
        self._running: dict[str, RunningSession] = {}
        self._waiting = 0  # threads that wait for a request
        self._pool = concurrent.futures.ThreadPoolExecutor(workers, "convene")
        self._own_loop: Optional[asyncio.AbstractEventLoop] = None
        self._loop_thread: Optional[threading.Thread] = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False
        _, self._handle = _library.make("open", json.dumps(options))
        self._ends = Events(self._handle, {"types": ["MAPSessionCompleted"]})
        _, self._found = _library.ask("recovered", self._handle)
        #: The sessions that the log had, resumed.
        self.recovered = [self._watch(_library.make("recovered_session", self._handle, each)[1], each)
                          for each in self._found["sessions"]]
        self._threads = [threading.Thread(target=each, daemon=True, name="convene")
                         for each in (self._pull, self._pull, self._follow, self._run_virtual)]
        for each in self._threads:
            each.start()
        _runtimes.add(self)

    def start(self, scenario: dict[str, Any], agents: Sequence[Agent] = ()) -> RunningSession:
        """Starts a session of a scenario, in which `agents` answer; ConveneError
        if it may not start. Coroutines run on the loop of the caller, if it has
        one, else on one of the runtime."""
        try:
            loop: Optional[asyncio.AbstractEventLoop] = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        by_id = {each.participant_id: each for each in agents}
        collab = dict(scenario.get("collab") or {})
        # Before the first request comes.
        with self._lock:
            self._begun += 1
            if "collab_id" not in collab:
                collab["collab_id"] = self._new_id()
            session_id = str(collab["collab_id"])
            earlier = self._running.get(session_id)
        if earlier is not None and not earlier._look(0):
            raise _library.ConveneError(
                "not_allowed", f"a session with the id {session_id!r} is running",
                {"rule": "session_id"})
        with self._lock:
            self._bindings[session_id] = _Binding(by_id, loop)
        try:
            _, handle = _library.make("start", self._handle,
                                      json.dumps({**scenario, "collab": collab}),
                                      json.dumps(list(by_id)))
        except _library.ConveneError:
            with self._lock:
                self._bindings.pop(session_id, None)
            raise
        return self._watch(handle, session_id)

    def events(self, **selected: Any) -> Events:
        """Events from now on: session_id, types, families, participants. With texts=True
        also {"text": {...}} for text that agents and models stream."""
        return Events(self._handle, selected)

    def close(self) -> None:
        """Cancels the sessions and waits for the functions that run. ConveneError
        (close_inside) in one of these functions, which it would wait for."""
        if getattr(_answering, "runtime", None) is self \
                or threading.current_thread() is self._loop_thread:
            raise _library.ConveneError(
                "not_allowed", "an agent's function cannot close the runtime that called it: "
                "cancel the session, or end it with Reply(end=True), and close the runtime "
                "where it was opened", {"rule": "close_inside"})
        with self._lock:
            if self._closed:
                return
            self._closed = True
        try:
            _library.call("close", self._handle)
        finally:
            self._due.put(None)
            for each in self._threads:
                each.join()
            self._pool.shutdown()
            self._end_loop()

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _new_id(self) -> str:
        """A session's id; with a seed it follows from that and the place."""
        if self._seed is None:
            return str(uuid.uuid4())
        bits = random.Random(f"{self._seed}/{self._begun}").getrandbits(128)
        return str(uuid.UUID(int=bits, version=4))

    def _watch(self, handle: _library.Handle, session_id: str) -> RunningSession:
        session = RunningSession(handle, session_id)
        with self._lock:
            self._running[session_id] = session
        if self._seed is not None:
            self._due.put(session)
        return session

    def _run_virtual(self) -> None:
        """Virtual time runs only in those who wait for a session."""
        while True:
            session = self._due.get()
            if session is None:
                return
            session._look(-1)

    def _pull(self) -> None:
        """Takes requests and has them answered. Of two threads one may answer by
        itself while the other waits: to hand a request to the pool takes longer
        than most functions take."""
        while True:
            with self._lock:
                self._waiting += 1
            code, request = _library.make("next_request", self._handle, -1)
            with self._lock:
                self._waiting -= 1
                is_free = self._waiting > 0
            if code == _library.ENDED:
                return
            if code == _library.OK:
                self._begin(Turn(request, _library.request_json(request)), is_free)

    def _begin(self, turn: Turn, is_free: bool) -> None:
        """`is_free`: this thread need not wait for the next request."""
        with self._lock:
            binding = self._bindings.get(turn.session_id)
        one = (binding.agents if binding else self._agents).get(turn.participant_id)
        if one is None:
            turn._end(_failed("participant_unbound", LookupError(turn.participant_id)))
        elif inspect.iscoroutinefunction(one.function):
            loop = binding.loop if binding else None
            if loop is None or not loop.is_running():
                loop = self._loop()
            try:
                loop.call_soon_threadsafe(self._spawn, one, turn)
            except RuntimeError as closed:  # the caller's loop has gone
                turn._end(_failed("agent_raised", closed))
        elif is_free:
            self._answer(one, turn)
        else:
            self._pool.submit(self._answer, one, turn)

    def _loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._own_loop is None:
                self._own_loop = asyncio.new_event_loop()
                self._loop_thread = threading.Thread(target=self._own_loop.run_forever,
                                                     daemon=True)
                self._loop_thread.start()
            return self._own_loop

    def _end_loop(self) -> None:
        if self._own_loop is None or self._loop_thread is None:
            return

        async def cancel_all() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for each in others:
                each.cancel()
            await asyncio.gather(*others, return_exceptions=True)
        asyncio.run_coroutine_threadsafe(cancel_all(), self._own_loop).result()
        self._own_loop.call_soon_threadsafe(self._own_loop.stop)
        self._loop_thread.join()
        self._own_loop.close()

    def _spawn(self, one: Agent, turn: Turn) -> None:
        task = asyncio.ensure_future(self._answer_later(one, turn))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _answer(self, one: Agent, turn: Turn) -> None:
        _answering.runtime = self
        try:
            reply = _encoded(one.function(turn))  # type: ignore[arg-type]
        except BaseException as raised:  # also SystemExit: the turn must close
            reply = _failed("agent_raised", raised)
        finally:
            _answering.runtime = None
        turn._end(reply)

    @staticmethod
    async def _answer_later(one: Agent, turn: Turn) -> None:
        reply = _failed("agent_raised", asyncio.CancelledError("the task was cancelled"))
        try:
            reply = _encoded(await one.function(turn))  # type: ignore[misc]
        except Exception as raised:
            reply = _failed("agent_raised", raised)
        finally:
            turn._end(reply)

    def _follow(self) -> None:
        """Learns which sessions have ended: from their last event, or, if they
        stopped otherwise, by looking now and then."""
        while True:
            code, event = self._ends.next(SLICE_MS)
            with self._lock:
                due = list(self._running.values())
                if event is not None and "missed" not in event:
                    due = [each for each in due if each.session_id == event.get("session_id")]
            for session in due if self._seed is None or code == _library.ENDED else ():
                # After its last event a session needs a moment.
                session._look(1000 if event is not None or code == _library.ENDED else 0)
            with self._lock:
                for session in due:
                    if session._ended.done():
                        self._running.pop(session.session_id, None)
                        self._bindings.pop(session.session_id, None)
            if code == _library.ENDED:
                self._ends.close()
                return

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            _library.free("runtime", self._handle)


@atexit.register
def _close_all() -> None:
    for each in () if _library.is_inherited() else list(_runtimes):
        each.close()

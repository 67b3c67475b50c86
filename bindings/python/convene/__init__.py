"""Sessions in which several agents work on one task.

    @convene.agent("reviewer")
    async def reviewer(turn: convene.Turn) -> convene.Reply:
        return convene.Reply("approved", end=True)

    result = await convene.Session(mode="pair", participants=[coder, reviewer],
                                   task="500 on /login").run()
"""
from ._actions import Attempt
from ._lab import Simulation, Study, Table, check, replay, simulate, study, validate
from ._handles import Events, RunningSession
from ._library import ConveneError, version
from ._runtime import Runtime
from ._session import Session, default_runtime
from ._turns import Agent, Reply, Turn, agent

__version__ = version()
__all__ = ["Agent", "Attempt", "ConveneError", "Events", "Reply", "RunningSession", "Runtime",
           "Session", "Simulation", "Study", "Table", "Turn", "agent", "check", "default_runtime",
           "replay", "simulate", "study", "validate", "version"]

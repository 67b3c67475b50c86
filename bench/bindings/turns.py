"""usage: turns.py KIND SESSIONS ROUNDS; prints microseconds per turn. KIND is pool (functions)
or loop (coroutines)."""
import asyncio
import sys
import time

import convene


def agents(kind):
    def answer(turn):
        return "looks good"

    async def answer_later(turn):
        return "looks good"
    return [convene.agent(each)(answer if kind == "pool" else answer_later) for each in "ab"]


async def seconds_of(participants, runtime, sessions, rounds):
    begun = time.perf_counter()
    await asyncio.gather(*(convene.Session(
        participants=participants, task="review the change", runtime=runtime,
        options={"rounds": rounds, "max_turns": 10**9}).run() for _ in range(sessions)))
    return time.perf_counter() - begun


async def main(kind, sessions, rounds):
    with convene.Runtime() as runtime:
        await seconds_of(agents(kind), runtime, sessions, rounds // 10 + 1)
        took = await seconds_of(agents(kind), runtime, sessions, rounds)
        print(f"{took * 1e6 / sessions / rounds / 2:.2f}")


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))

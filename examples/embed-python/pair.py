"""A pair in Python: this program answers for both participants."""
import convene


@convene.agent("coder")
def coder(turn: convene.Turn) -> str:
    return "patch for: " + turn.task


@convene.agent("reviewer")
async def reviewer(turn: convene.Turn) -> convene.Reply:
    return convene.Reply("approved", end=True)


session = convene.Session(mode="pair", participants=[coder, reviewer], task="500 on /login")
print(session.run_blocking()["status"])

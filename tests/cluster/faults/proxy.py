"""A TCP proxy in a process of its own, between a node and PostgreSQL: passes all, or passes it late, or passes what is
asked and closes the connections instead of passing the answers.

    proxy.py ADDRESS PORT TARGET_ADDRESS TARGET_PORT

reads lines: `delay SECONDS` (0: none), `swallow`, which counts until the next `delay`.
"""

import asyncio
import pathlib
import subprocess
import sys


class Proxy:
    """The process, for those that use it."""

    def __init__(self, address, port, target, target_port):
        self.process = subprocess.Popen([sys.executable, pathlib.Path(__file__).resolve(), address, str(port), target,
                                         str(target_port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.kill()
        self.process.wait()


class State:
    delay = 0.0
    swallows = False


async def pass_on(reader, writer, is_answer):
    pending = asyncio.Queue(64)

    async def write():
        while (item := await pending.get()) is not None:
            due, data = item
            await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
            writer.write(data)
            await writer.drain()

    writing = asyncio.create_task(write())
    try:
        while data := await reader.read(65536):
            if is_answer and State.swallows:
                break
            await pending.put((asyncio.get_running_loop().time() + State.delay, data))
        await pending.put(None)
        await writing
    except OSError:
        pass
    finally:
        writing.cancel()
        writer.close()


async def serve(address, port, target, target_port):
    async def meet(reader, writer):
        try:
            to_reader, to_writer = await asyncio.open_connection(target, target_port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(pass_on(reader, to_writer, False), pass_on(to_reader, writer, True))

    await asyncio.start_server(meet, address, port)
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        words = line.split()
        State.swallows = words[0] == "swallow"
        State.delay = float(words[1]) if words[0] == "delay" else 0.0


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))

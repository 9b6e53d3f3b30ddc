"""The network between members, each way of each pair by itself: what is cut arrives when it is healed, if its connection is still there.

    relay.py FROM:TO:LISTEN:TARGET...       names of two members, and two ports of 127.0.0.1

Reads commands, one a line: `cut FROM TO`, `slow FROM TO SECONDS`, `heal`. Says `ready` when all ports are open.
"""

import asyncio
import sys


class Way:
    """What goes from one member to another, in connections of both."""

    def __init__(self):
        self.delay, self.open = 0.0, asyncio.Event()
        self.open.set()


async def pump(source, sink, way):
    try:
        while data := await source.read(1 << 16):
            await asyncio.sleep(way.delay)
            await way.open.wait()
            sink.write(data)
            await sink.drain()
        await way.open.wait()
    except OSError:
        pass
    finally:
        sink.close()


def relay(there, back, target):
    async def connected(source, sink):
        try:
            # Connections, too, are made by messages of both ways.
            await there.open.wait()
            far_source, far_sink = await asyncio.open_connection("127.0.0.1", target)
        except OSError:
            sink.close()
            return
        await asyncio.gather(pump(source, far_sink, there), pump(far_source, sink, back))

    return connected


def obey(words, ways):
    if words[0] == "cut":
        ways[words[1], words[2]].open.clear()
    elif words[0] == "slow":
        ways[words[1], words[2]].delay = float(words[3])
    else:
        for way in ways.values():
            way.delay = 0.0
            way.open.set()


async def main():
    pairs = [argument.split(":") for argument in sys.argv[1:]]
    ways = {(one, other): Way() for one, other, _, _ in pairs}
    for one, other, listen, target in pairs:
        await asyncio.start_server(relay(ways[one, other], ways[other, one], int(target)), "127.0.0.1", int(listen))
    print("ready", flush=True)
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := await commands.readline():
        obey(line.decode().split(), ways)


asyncio.run(main())

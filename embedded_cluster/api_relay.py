"""A process that hands on what comes to one address, byte by byte, to the same port of another: ADDRESS TARGET PORT.

Started as a file, with Python's own library alone. What is said is TLS between the two ends; nothing is read here.
"""

import asyncio
import sys
from contextlib import suppress

PIECE = 65536


async def _hand_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Until the source says no more; the other direction may go on."""
    with suppress(OSError):
        while piece := await source.read(PIECE):
            target.write(piece)
            await target.drain()
        target.write_eof()


async def relay(address: str, target: str, port: int) -> None:
    """Serve until the process ends. Raises OSError where the port is not free on `address`."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            answer, question = await asyncio.open_connection(target, port)
        except OSError:  # the caller sees a connection that is closed, as of a server that has just ended
            writer.close()
            return
        await asyncio.gather(_hand_on(reader, question), _hand_on(answer, writer))
        for each in (question, writer):
            each.close()

    server = await asyncio.start_server(connected, address, port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(relay(sys.argv[1], sys.argv[2], int(sys.argv[3])))

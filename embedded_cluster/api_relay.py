"""A process that relays all bytes from one address to the same port of another: ADDRESS TARGET PORT.

Started as a file, with Python's own library alone. The two ends speak TLS with each other; nothing is read here.
"""

import asyncio
import sys
from contextlib import suppress

PIECE = 65536


async def _hand_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Copy until the source ends; the other direction may continue."""
    with suppress(OSError):
        while piece := await source.read(PIECE):
            target.write(piece)
            await target.drain()
        target.write_eof()


async def relay(address: str, target: str, port: int) -> None:
    """Serve until the process ends. Raise OSError if the port is not free on `address`."""

    async def handle_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            answer, question = await asyncio.open_connection(target, port)
        except OSError:  # the caller sees a closed connection, as from a server that has just ended
            writer.close()
            return
        await asyncio.gather(_hand_on(reader, question), _hand_on(answer, writer))
        for stream in (question, writer):
            stream.close()

    server = await asyncio.start_server(handle_connection, address, port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(relay(sys.argv[1], sys.argv[2], int(sys.argv[3])))

"""The process by which pods of the embedded cluster reach its API server: it hands on, both ways, to the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from embedded_cluster.api_relay import relay
from selftests.bounds import HANGS_S

HERE, THERE = "127.0.0.2", "127.0.0.1"
LARGE = b"0123456789abcdef" * 100_000
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[bytes]]


async def reversed_when_all_is_said(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write((await reader.read())[::-1])
    await writer.drain()
    writer.close()


def through_the_relay(talk: Talk, *, served: bool = True) -> bytes:
    async def run() -> bytes:
        server = await asyncio.start_server(reversed_when_all_is_said, THERE, 0)
        port = server.sockets[0].getsockname()[1]
        if not served:
            server.close()
            await server.wait_closed()
        relaying = asyncio.create_task(relay(HERE, THERE, port))
        try:
            return await asyncio.wait_for(talk(*await connected(port)), timeout=HANGS_S)
        finally:
            relaying.cancel()
            with suppress(asyncio.CancelledError):
                await relaying
            server.close()

    return asyncio.run(run())


async def connected(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    for _ in range(200):
        with suppress(ConnectionRefusedError):
            return await asyncio.open_connection(HERE, port)
        await asyncio.sleep(0.01)
    raise AssertionError("the relay does not listen")


def test_what_is_said_comes_through_and_so_does_the_answer() -> None:
    """More than any buffer on the way holds, and an end of one direction before the other begins."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(LARGE)
        await writer.drain()
        writer.write_eof()
        return await reader.read()

    assert through_the_relay(talk) == LARGE[::-1]


def test_a_server_that_is_not_there_is_a_connection_that_ends(caplog: pytest.LogCaptureFixture) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        with suppress(ConnectionError):
            return await reader.read()
        return b""

    assert through_the_relay(talk, served=False) == b""
    assert caplog.records == []


def test_a_port_that_is_taken_ends_it() -> None:
    async def run() -> None:
        server = await asyncio.start_server(reversed_when_all_is_said, HERE, 0)
        async with server:
            await relay(HERE, THERE, server.sockets[0].getsockname()[1])

    with pytest.raises(OSError, match="in use"):
        asyncio.run(run())

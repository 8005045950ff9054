"""A proxy in front of the real API server that delays, refuses and breaks off, as load and bad networks do."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import secrets
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import yaml
from aiohttp import ClientSession, ClientTimeout, TCPConnector, web
from yarl import URL

# What speaks of a connection, not of what is sent over it.
_OF_A_HOP = ("connection", "content-length", "content-encoding", "transfer-encoding", "keep-alive", "host")
RETRY_AFTER_S = 1
_STAMPS = re.compile(rb"^(\d{4}-\d\d-\d\dT\S+) .*\n", re.MULTILINE)


class ApiProxy:
    """Speaks plain HTTP on loopback to whoever knows its token, and to the API server as the kubeconfig's user.

    `delay_s`: before each request is passed on. `refuses`: each first try of a request is answered 429; `refused` of
    them were. `login_page`: who asks is shown one, with status 200, as by a proxy whose session is over; each request
    once, or `always`; `logins` of them were. `drops_after_s`: a log that is followed or a watch is cut off after that,
    without a word; `dropped` of them were. `admission` changes the spec of each pod that is asked for, alone or by
    a set, as a webhook does. `asked`: method and path of all requests, in order. `read_to`: for each path of a log
    that is followed with times, that of the last line that passed.
    """

    def __init__(self, kubeconfig: Path) -> None:
        self._upstream, self._tls = _reached_by(kubeconfig)
        self._token = secrets.token_hex(16)
        self._until: dict[str, list[float]] = {}
        self._lasting: set[asyncio.Transport] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.delay_s = 0.0
        self.refuses = False
        self.login_page: Literal["once", "always"] | None = None
        self.drops_after_s: float | None = None
        self.admission: Callable[[dict[str, Any]], None] | None = None
        self.refused = self.dropped = self.logins = 0
        self._shown: set[str] = set()
        self.asked: list[str] = []
        self.read_to: dict[str, str] = {}
        self.port = 0

    def write_kubeconfig(self, path: Path) -> None:
        """Write a kubeconfig that leads through the proxy."""
        name = "proxy"
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": {"server": f"http://127.0.0.1:{self.port}"}}],
            "users": [{"name": name, "user": {"token": self._token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "current-context": name,
        }
        path.touch(mode=0o600)
        path.write_text(json.dumps(content))

    def drop_now(self) -> None:
        """Cut off all logs that are followed and all watches, once."""
        assert self._loop is not None
        for each in list(self._lasting):
            self._loop.call_soon_threadsafe(each.abort)

    @property
    def impatient(self) -> list[str]:
        """Requests that came again too soon: each such try was refused as one more, which none came to be let through
        for. Two threads that ask the same are two patient ones."""
        return [request for request, untils in self._until.items() for _ in untils]

    async def serve(self, started: threading.Event, ended: asyncio.Event) -> None:
        """Pass requests on until `ended`."""
        self._loop = asyncio.get_running_loop()
        connector = TCPConnector(ssl=self._tls, limit=0)
        async with ClientSession(connector=connector, timeout=ClientTimeout(total=None)) as self._session:
            server = web.Server(self._answer)
            runner = web.ServerRunner(server, shutdown_timeout=1)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            self.port = runner.addresses[0][1]
            started.set()
            await ended.wait()
            await runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Bearer {self._token}":
            return web.Response(status=401)
        self.asked.append(f"{request.method} {request.path}")
        if self.refuses and self._is_refused(f"{request.method} {request.raw_path}"):
            self.refused += 1
            return web.Response(status=429, headers={"Retry-After": str(RETRY_AFTER_S)}, text="too many requests")
        if self.login_page is not None:
            asked = f"{request.method} {request.raw_path}"
            if self.login_page == "always" or asked not in self._shown:
                self._shown.add(asked)
                self.logins += 1
                return web.Response(text="<!DOCTYPE html><title>Log in</title>", content_type="text/html")
        await asyncio.sleep(self.delay_s)
        headers = {
            key: value for key, value in request.headers.items() if key.lower() not in (*_OF_A_HOP, "authorization")
        }
        url = URL(self._upstream + request.raw_path, encoded=True)
        body = await self._body(request)
        async with self._session.request(request.method, url, headers=headers, data=body) as answer:
            kept = {key: value for key, value in answer.headers.items() if key.lower() not in _OF_A_HOP}
            response = web.StreamResponse(status=answer.status, headers=kept)
            await response.prepare(request)
            lasting = "watch" in request.query or request.query.get("follow") == "true"
            if lasting and request.transport is not None:
                self._lasting.add(request.transport)
            try:
                async with asyncio.timeout(self.drops_after_s if lasting else None):
                    async for piece in answer.content.iter_any():
                        await response.write(piece)
                        if request.path.endswith("/log") and (stamps := _STAMPS.findall(piece)):
                            self.read_to[request.path] = stamps[-1].decode()
            except (TimeoutError, ConnectionError):
                self.dropped += 1
                if request.transport is not None:
                    request.transport.abort()
            finally:
                if request.transport is not None:
                    self._lasting.discard(request.transport)
            return response

    async def _body(self, request: web.BaseRequest) -> bytes:
        sent = await request.read()
        kind = request.path.rpartition("/")[2]
        if request.method != "POST" or kind not in ("pods", "statefulsets") or self.admission is None:
            return sent
        made = json.loads(sent)
        self.admission(made["spec"] if kind == "pods" else made["spec"]["template"]["spec"])
        return json.dumps(made).encode()

    def _is_refused(self, request: str) -> bool:
        """Unless it was refused before and the time that Retry-After asked for is over."""
        now, untils = time.monotonic(), self._until.setdefault(request, [])
        if untils and now >= untils[0]:
            untils.pop(0)
            return False
        untils.append(now + RETRY_AFTER_S)
        return True


@contextmanager
def api_proxy(kubeconfig: Path) -> Iterator[ApiProxy]:
    """A proxy in front of the API server that the kubeconfig names, for as long as the block."""
    proxy, started = ApiProxy(kubeconfig), threading.Event()
    loop, ended = asyncio.new_event_loop(), asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(proxy.serve(started, ended),), daemon=True)
    thread.start()
    assert started.wait(60)
    try:
        yield proxy
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(60)
        loop.close()


def _reached_by(kubeconfig: Path) -> tuple[str, ssl.SSLContext]:
    """The server's address and how to speak to it; for a kubeconfig that holds the certificates, as ours."""
    content: dict[str, Any] = yaml.safe_load(kubeconfig.read_text())
    cluster, user = content["clusters"][0]["cluster"], content["users"][0]["user"]
    context = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
    pair = kubeconfig.with_name("proxy.pem")  # beside the keys of the cluster, and gone at once
    pair.touch(mode=0o600)
    try:
        pair.write_bytes(b"".join(base64.b64decode(user[f"client-{kind}-data"]) for kind in ("certificate", "key")))
        context.load_cert_chain(pair)
    finally:
        pair.unlink()
    return cluster["server"], context

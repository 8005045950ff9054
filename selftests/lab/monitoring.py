"""Prometheus, Pushgateway and node_exporter as Debian has them, on the loopback, for as long as a block."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener

from acceptance.cluster.waiting import wait_for
from embedded_cluster.network import free_ports
from embedded_cluster.packages import ensure

PROGRAMS = {each: each for each in ("prometheus", "prometheus-pushgateway", "prometheus-node-exporter")}
_directly = build_opener(ProxyHandler({}))  # whatever proxy this machine has is not asked for its own loopback


def read(url: str) -> str:
    """What the address answers. Raises OSError where it does not."""
    with _directly.open(url, timeout=60) as answer:
        return answer.read().decode()


@dataclass(frozen=True)
class Prometheus:
    """A running Prometheus. `at_s`: the moment of which it is asked, in s since the epoch; None for now."""

    url: str
    at_s: float | None = None

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The samples of that moment that it answers with."""
        moment = {} if self.at_s is None else {"time": f"{self.at_s:.3f}"}
        found = self._ask("query", query=expression, **moment)
        assert found["resultType"] == "vector", expression
        return found["result"]

    def label_values(self, label: str, metric: str) -> list[str]:
        """What Grafana's `label_values(metric, label)` asks for."""
        return self._ask(f"label/{label}/values", **{"match[]": metric})

    def targets(self) -> list[dict[str, Any]]:
        """What is scraped, with its health and last error."""
        return self._ask("targets", state="active")["activeTargets"]

    def _ask(self, what: str, **words: str) -> Any:
        answer = json.loads(read(f"{self.url}/api/v1/{what}?{urlencode(words)}"))
        assert answer["status"] == "success", answer
        return answer["data"]


@contextmanager
def pushgateway(folder: Path) -> Iterator[str]:
    """A Pushgateway without anything in it; its address."""
    with _running("prometheus-pushgateway", ("--persistence.file=",), folder) as url:
        yield url


@contextmanager
def node_exporter(textfiles: Path, folder: Path) -> Iterator[str]:
    """A node_exporter that has the textfile collector alone; its address."""
    words = ("--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={textfiles}")
    with _running("prometheus-node-exporter", words, folder) as url:
        yield url


@contextmanager
def prometheus(targets: Sequence[tuple[str, str]], folder: Path) -> Iterator[Prometheus]:
    """A Prometheus that has scraped each (host:port, path) at least once, every second; it is asked of that moment.

    A target that a busy machine keeps from answering within a second of a later scrape has no samples until the next.
    """
    jobs = [
        {
            "job_name": f"target-{number}",
            "honor_labels": True,
            "metrics_path": path,
            "static_configs": [{"targets": [target]}],
        }
        for number, (target, path) in enumerate(targets)
    ]
    config = folder / "prometheus.yml"
    # JSON is YAML.
    config.write_text(json.dumps({"global": {"scrape_interval": "1s"}, "scrape_configs": jobs}))
    words = (f"--config.file={config}", f"--storage.tsdb.path={folder / 'samples'}")
    with _running("prometheus", words, folder, ready="/-/ready") as url:
        running = Prometheus(url)
        wait_for(
            "Prometheus to scrape all targets",
            look=running.targets,
            ready=lambda seen: len(seen) == len(jobs) and all(each["health"] == "up" for each in seen),
            state=lambda seen: "; ".join(f"{each['scrapeUrl']} {each['health']} {each['lastError']}" for each in seen),
            timeout_s=120,
        )
        yield replace(running, at_s=time.time())


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The files of a folder over HTTP; host and port."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def _running(program: str, words: Sequence[str], folder: Path, *, ready: str = "/metrics") -> Iterator[str]:
    ensure(PROGRAMS)
    port = free_ports([program])[program]
    log = folder / f"{program}.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [program, f"--web.listen-address=127.0.0.1:{port}", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    url = f"http://127.0.0.1:{port}"

    def answer() -> str:
        assert process.poll() is None, f"{program} ended: {log.read_text()[-2000:]}"
        try:
            return "" if read(url + ready) is None else "ready"
        except OSError as error:  # refused, reset, or not in time
            return str(error)

    try:
        wait_for(f"{program} to answer", look=answer, ready=lambda seen: seen == "ready", state=str, timeout_s=120)
        yield url
    finally:
        process.kill()
        process.wait()

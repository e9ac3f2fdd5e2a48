"""`MetricsEndpoint`: `GET /metrics` of a worker, over HTTP on an address of its own."""

from __future__ import annotations

import hmac
import logging
import threading
from collections.abc import Iterable
from http import HTTPStatus
from socketserver import ThreadingMixIn
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from wsgiref.types import StartResponse, WSGIEnvironment

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector, make_wsgi_app

from engine.hosting.metrics.collector import HostMetrics

ADDRESS: Final = "/metrics"
QUIET_SECONDS: Final = 10.0
"""How long a caller may say nothing before it is hung up on."""

_REFUSALS: Final = {
    HTTPStatus.NOT_FOUND: f"There is nothing at this address; metrics are at {ADDRESS}.",
    HTTPStatus.METHOD_NOT_ALLOWED: "Metrics are read with GET.",
    HTTPStatus.UNAUTHORIZED: "This needs the token of METRICS_TOKEN: Authorization: Bearer TOKEN.",
}

logger = logging.getLogger(__name__)


def is_token(told: str, token: str) -> bool:
    """Whether the header Authorization carries the token; takes as long for a wrong one as for the right one."""
    kind, _, value = told.partition(" ")
    return kind.lower() == "bearer" and hmac.compare_digest(value.strip().encode(), token.encode())


class MetricsEndpoint:
    """Answers from `start` to `stop`, in threads of its own."""

    def __init__(self, metrics: HostMetrics, host: str, port: int, token: str | None) -> None:
        """Port 0 takes a free one. Without a token everybody who reaches the address may read."""
        self._place = (host, port)
        self._token = token
        registry = CollectorRegistry()
        registry.register(metrics)
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        self._metrics = make_wsgi_app(registry)
        self._server: WSGIServer | None = None

    @property
    def port(self) -> int:
        """Where it listens, while it does."""
        assert self._server is not None, "it was not started"
        return self._server.server_port

    def start(self) -> None:
        """Listen. `OSError` when the address cannot be had."""
        self._server = make_server(*self._place, self._answer, _Server, _Handler)
        threading.Thread(target=self._server.serve_forever, name="engine-metrics", daemon=True).start()

    def stop(self) -> None:
        """Listen no more; harmless when stopped."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _answer(self, environment: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        refused = self._refused(environment)
        if refused is None:
            body: Iterable[bytes] = self._metrics(environment, start_response)
            return body
        headers = [("Content-Type", "text/plain; charset=utf-8")]
        if refused is HTTPStatus.UNAUTHORIZED:
            headers.append(("WWW-Authenticate", "Bearer"))
        start_response(f"{refused.value} {refused.phrase}", headers)
        return [f"{_REFUSALS[refused]}\n".encode()]

    def _refused(self, environment: WSGIEnvironment) -> HTTPStatus | None:
        if environment.get("PATH_INFO") != ADDRESS:
            return HTTPStatus.NOT_FOUND
        if environment.get("REQUEST_METHOD") != "GET":
            return HTTPStatus.METHOD_NOT_ALLOWED
        if self._token is not None and not is_token(environment.get("HTTP_AUTHORIZATION", ""), self._token):
            return HTTPStatus.UNAUTHORIZED
        return None


class _Server(ThreadingMixIn, WSGIServer):
    """One that is slow holds nobody up, and nobody waits for it at the end."""

    daemon_threads = True


class _Handler(WSGIRequestHandler):
    timeout = QUIET_SECONDS

    def log_message(self, format: str, *args: Any) -> None:
        """A scrape every few seconds is no news."""
        logger.debug(format, *args)

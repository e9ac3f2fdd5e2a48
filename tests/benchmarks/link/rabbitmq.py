"""RabbitMQ: two nodes that know nothing of each other, and a shovel that confirms at B before it acknowledges at A."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.benchmarks.link.amqp_wire import Connection
from tests.benchmarks.link.contestant import ClientSpec, Contestant
from tests.benchmarks.link.servers import START_SECONDS_MAX, Server, ServerFailed, Servers
from tests.support.free_port import free_port

# Debian's scripts themselves: those in the path want to become another user.
SERVER: Final = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
CONTROL: Final = Path("/usr/lib/rabbitmq/bin/rabbitmqctl")
QUEUE: Final = "link"
WINDOW: Final = 2000
CHUNK: Final = 100
PREFETCH: Final = 1000
_CONFIGURATION: Final = """\
listeners.tcp.1 = 127.0.0.1:{port}
vm_memory_high_watermark.absolute = 6GB
"""


class RabbitMq(Contestant):
    """One kind of queue on both nodes, and a dynamic shovel."""

    def __init__(self, queue_type: str) -> None:
        """`queue_type` is `quorum` or `classic`."""
        self.name = f"rabbitmq-{queue_type}"
        self.description = f"RabbitMQ, {queue_type} queues, shovel on-confirm, source prefetch {PREFETCH}"
        self._queue_type = queue_type

    def missing(self) -> str:
        if SERVER.exists() and shutil.which("epmd"):
            return ""
        return "rabbitmq-server is not installed (Debian, Ubuntu: apt-get install rabbitmq-server)"

    def start(self, servers: Servers) -> None:
        name_port = free_port()
        self._common = {
            "HOME": str(servers.directory),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(name_port),
            "RABBITMQ_CTL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
        }
        names = servers.start("epmd", ["epmd", "-port", str(name_port)], self._common)
        names.until_it_listens(name_port)
        (servers.directory / "enabled_plugins").write_text("[rabbitmq_shovel].\n")
        self._ports = {node: free_port() for node in ("a", "b")}
        # Both at once: a node needs some seconds.
        nodes = {node: self._start_node(servers, node, port) for node, port in self._ports.items()}
        for node, port in self._ports.items():
            nodes[node].until_it_listens(port)
            connection = Connection(port)
            connection.declare_queue(QUEUE, {"x-queue-type": self._queue_type})
            connection.close()
        self._processes = {node: server.pid for node, server in nodes.items()}
        self.open_link()

    def _start_node(self, servers: Servers, node: str, port: int) -> Server:
        home = servers.directory / node
        home.mkdir()
        (home / "rabbitmq.conf").write_text(_CONFIGURATION.format(port=port))
        return servers.start(
            f"rabbitmq-{node}",
            [SERVER],
            {
                **self._common,
                "RABBITMQ_NODENAME": f"{node}@localhost",
                "RABBITMQ_DIST_PORT": str(free_port()),
                "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq.conf"),
                "RABBITMQ_MNESIA_BASE": str(home / "mnesia"),
                "RABBITMQ_LOG_BASE": str(home / "log"),
                "RABBITMQ_ENABLED_PLUGINS_FILE": str(servers.directory / "enabled_plugins"),
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            },
            cwd=home,
        )

    def open_link(self) -> None:
        source, destination = (f"amqp://guest:guest@127.0.0.1:{self._ports[node]}" for node in ("a", "b"))
        definition = {
            "src-protocol": "amqp091",
            "src-uri": source,
            "src-queue": QUEUE,
            "src-prefetch-count": PREFETCH,
            "dest-protocol": "amqp091",
            "dest-uri": destination,
            "dest-queue": QUEUE,
            "ack-mode": "on-confirm",
        }
        self._control("set_parameter", "shovel", "link", json.dumps(definition))

    def close_link(self) -> None:
        self._control("clear_parameter", "shovel", "link")

    def _control(self, *words: str) -> None:
        answer = subprocess.run(
            [CONTROL, "--node", "a@localhost", *words],
            env={**os.environ, **self._common},
            capture_output=True,
            text=True,
            timeout=START_SECONDS_MAX,
            check=False,
        )
        if answer.returncode:
            raise ServerFailed(f"node a refuses {words[0]}: {answer.stdout}{answer.stderr}")

    def processes(self) -> Mapping[str, int]:
        return self._processes

    def producer(self) -> ClientSpec:
        options = {"port": self._ports["a"], "queue": QUEUE, "window": WINDOW, "chunk": CHUNK}
        return ClientSpec("tests.benchmarks.link.rabbitmq_clients:RabbitProducer", options)

    def consumer(self) -> ClientSpec:
        options = {"port": self._ports["b"], "queue": QUEUE, "prefetch": PREFETCH, "acknowledge_every": 100}
        return ClientSpec("tests.benchmarks.link.rabbitmq_clients:RabbitConsumer", options)

    def watcher(self) -> ClientSpec:
        options = {"port": self._ports["b"], "queue": QUEUE}
        return ClientSpec("tests.benchmarks.link.rabbitmq_clients:RabbitWatcher", options)

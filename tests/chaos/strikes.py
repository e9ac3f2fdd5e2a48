"""What strikes a deployment: its workers, their connections, their broker, and where they keep what they know."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from brokerweb.common.numbered_command import REFUSED
from engine.hosting.settings import LEASE_SECONDS
from tests.chaos.links import Links
from tests.chaos.storage import PAGE_BYTES, TABLE_BYTES, Server, Storage, Stores
from tests.chaos.workload import Load
from tests.engine.hosting.leased_workers import Deployment
from tests.support.redis_server import RedisServer

STALL_SECONDS: Final = 1.0
"""When nothing was confirmed for so long, the disk is full for everybody."""
STALL_SECONDS_MAX: Final = 60.0

COMMON: Final = (
    "kill -9",
    "kill -9, twice",
    "stopped beyond the lease",
    "told to stop",
    "broker killed",
    "broker cut off",
    "links cut",
    "disk full",
)
STRIKES: Final[Mapping[Stores, Sequence[str]]] = {
    Stores.SQLITE: (*COMMON, "backup taken"),
    Stores.POSTGRES: (*COMMON, "log's disk full", "PostgreSQL restarted", "PostgreSQL killed"),
}


class Striker:
    """After each strike the deployment is whole again: as many workers, the servers, the network and the room."""

    def __init__(
        self,
        deployment: Deployment,
        broker: RedisServer,
        links: Links,
        storage: Storage,
        load: Load,
        dice: Random,
        *,
        length: float = 1.0,
    ) -> None:
        """`length` is the part of their time for which things stay away; 1 reaches beyond leases."""
        self._length = length
        self._deployment = deployment
        self._broker = broker
        self._links = links
        self._storage = storage
        self._load = load
        self._dice = dice
        self._ways: Mapping[str, Callable[[], str]] = {
            "kill -9": self._kill,
            "kill -9, twice": self._kill_two,
            "stopped beyond the lease": self._pause,
            "told to stop": self._stop,
            "broker killed": self._kill_broker,
            "broker cut off": self._cut_off_broker,
            "links cut": self._cut_links,
            "disk full": self._fill_disk,
            "backup taken": self._back_up,
            "log's disk full": lambda: self._fill(PAGE_BYTES),
            "PostgreSQL restarted": lambda: self._restart_server(signal.SIGINT),
            "PostgreSQL killed": lambda: self._restart_server(signal.SIGQUIT),
        }

    def strike(self, name: str) -> str:
        """Do it; answers whom it has struck, or how."""
        return self._ways[name]()

    def _wait(self, least: float, most: float) -> float:
        seconds = self._dice.uniform(least, most) * self._length
        time.sleep(seconds)
        return seconds

    # ── workers ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _kill(self) -> str:
        victim = self._dice.choice(self._deployment.names)
        self._end(victim, signal.SIGKILL)
        self._wait(0, LEASE_SECONDS)
        self._deployment.start(victim)
        return victim

    def _kill_two(self) -> str:
        victims = self._dice.sample(self._deployment.names, 2)
        for name in victims:
            self._end(name, signal.SIGKILL)
        self._deployment.start(*victims)
        return " and ".join(victims)

    def _pause(self) -> str:
        victim = self._dice.choice(self._deployment.names)
        self._deployment.signal(victim, signal.SIGSTOP)
        time.sleep(LEASE_SECONDS + self._dice.uniform(-2, 6))
        self._deployment.signal(victim, signal.SIGCONT)
        return victim

    def _stop(self) -> str:
        victim = self._dice.choice(self._deployment.names)
        self._end(victim, signal.SIGTERM)
        self._deployment.start(victim)
        return victim

    def _end(self, victim: str, how: signal.Signals) -> None:
        self._deployment.signal(victim, how)
        self._deployment.wait(victim)

    # ── connections ──────────────────────────────────────────────────────────────────────────────────────────────
    def _kill_broker(self) -> str:
        self._broker.end()
        seconds = self._wait(0, 3)
        self._broker.start()
        return f"{seconds:.1f} s away"

    def _cut_off_broker(self) -> str:
        return f"{self._broker.cut_connections()} connections"

    def _cut_links(self) -> str:
        before = self._links.cut
        self._links.harm()
        self._wait(1, LEASE_SECONDS)
        self._links.heal()
        return f"{self._links.cut - before} connections"

    # ── storage ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _fill_disk(self) -> str:
        return self._fill(TABLE_BYTES if isinstance(self._storage, Server) else PAGE_BYTES)

    def _fill(self, bytes_max: int) -> str:
        self._storage.fill(self._deployment, bytes_max)
        try:
            if bytes_max == PAGE_BYTES:
                self._wait_until_nothing_is_confirmed()
            self._wait(1, LEASE_SECONDS + 2)
        finally:
            self._storage.make_room(self._deployment)
        return f"beyond {bytes_max:,} bytes"

    def _wait_until_nothing_is_confirmed(self) -> None:
        deadline = time.monotonic() + STALL_SECONDS_MAX
        confirmed = None
        while confirmed != (confirmed := self._load.confirmed):
            assert time.monotonic() < deadline, "messages are confirmed that no disk can have taken"
            time.sleep(STALL_SECONDS)

    def _back_up(self) -> str:
        """All instances are held while their stores are copied; a restore is refused while workers run."""
        folder = self._deployment.database.parent.with_name(f"backup-{time.monotonic_ns()}")
        taken = self._deployment.manage("backup", str(folder))
        assert taken.returncode == 0, taken.stderr
        refused = self._deployment.manage("restore", str(folder))
        assert (refused.returncode, "3101: " in refused.stderr) == (REFUSED, True), refused.stderr
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        shutil.rmtree(folder)
        return f"{size:,} bytes"

    def _restart_server(self, how: signal.Signals) -> str:
        assert isinstance(self._storage, Server)
        self._storage.server.stop(how)
        seconds = self._wait(0, LEASE_SECONDS + 2)
        self._storage.server.start()
        return f"{seconds:.1f} s away"

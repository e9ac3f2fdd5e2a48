"""The network between the instances of a deployment: a proxy before each of them, for whoever looks for it.

Workers write into the directory of ports where an instance listens, anew with each take-over. A trigger of that file
puts the place of the proxy there in the same transaction, so that nobody ever finds the way around it.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Self

import apsw

from engine.hosting.directory import BUSY_MILLISECONDS_MAX, PortDirectory
from tests.engine.hosting.two_instances import LYON, PARIS
from tests.support.faulty_proxy import FaultyProxy

NOWHERE = ("127.0.0.1", 9)
"""Before anybody listens; nobody serves this port."""

_TRIGGER = """
CREATE TABLE true_places (instance TEXT PRIMARY KEY, host TEXT NOT NULL, port INTEGER NOT NULL);
CREATE TABLE proxies (instance TEXT PRIMARY KEY, host TEXT NOT NULL, port INTEGER NOT NULL);
CREATE TRIGGER a_proxy_is_found AFTER INSERT ON listeners WHEN NEW.real_port IS NOT NULL BEGIN
    INSERT OR REPLACE INTO true_places VALUES (NEW.instance, NEW.real_host, NEW.real_port);
    UPDATE listeners SET (real_host, real_port) = (SELECT host, port FROM proxies WHERE instance = NEW.instance)
    WHERE estate = NEW.estate AND instance = NEW.instance;
END
"""


class Links:
    """A context manager; set up before the first worker starts."""

    def __init__(self, data_directory: Path, seed: str) -> None:
        """`seed` says what goes wrong while the network is harmed."""
        self._path = data_directory / "directory.sqlite3"
        self._proxies = {
            name: FaultyProxy(lambda name=name: self._true_place(name), f"{seed} {name}") for name in (PARIS, LYON)
        }
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        PortDirectory(self._path).close()
        with closing(self._connect()) as connection:
            connection.execute(_TRIGGER)
            for name, proxy in self._proxies.items():
                self._stack.enter_context(proxy)
                proxy.heal()
                connection.execute("INSERT INTO proxies VALUES (?, ?, ?)", (name, *proxy.place))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def cut(self) -> int:
        """How many whole connections have been cut so far."""
        return sum(proxy.cut for proxy in self._proxies.values())

    def harm(self) -> None:
        """Cut every connection, and let things go wrong with those to come."""
        for proxy in self._proxies.values():
            proxy.harm()

    def heal(self) -> None:
        """Nothing goes wrong any more."""
        for proxy in self._proxies.values():
            proxy.heal()

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self._path))
        connection.set_busy_timeout(BUSY_MILLISECONDS_MAX)
        return connection

    def _true_place(self, instance: str) -> tuple[str, int]:
        with closing(self._connect()) as connection:
            rows = connection.execute("SELECT host, port FROM true_places WHERE instance = ?", (instance,))
            return next(((str(host), int(port)) for host, port in rows), NOWHERE)

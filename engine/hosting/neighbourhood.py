"""`Neighbourhood`: who listens where and speaks for whom, as one instance of an estate reads it in the directory."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Hashable
from contextlib import suppress
from itertools import chain
from typing import Final

import msgspec

from engine.core.catalog.hosts import HostBook
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.neighbours import Neighbour
from engine.core.link.handshake import Peer
from engine.core.link.negotiation import Method
from engine.core.vocabulary.identifiers import MASTER, InstanceName
from engine.core.vocabulary.messages import TcpAddress
from engine.hosting.directory import Listener, PortDirectory
from engine.hosting.shelf import InstanceKey
from engine.transport.switchboard import RealAddress

NEIGHBOURS_MAX: Final = 1_000
"""That are remembered: a name outside of the estate is whatever its owner says."""

logger = logging.getLogger(__name__)

_Asked = tuple[InstanceName, str | None, Method, str | None, RealAddress | None]


class Neighbourhood:
    """Reads the directory again when it has changed: other workers write it too."""

    def __init__(self, directory: PortDirectory, key: InstanceKey, catalog: Callable[[], InstanceCatalog]) -> None:
        """`catalog` is that of the instance, as it is now."""
        self._catalog = catalog
        self._directory = directory
        self._estate, self._name = key
        self._state: Hashable = None
        self._listeners: dict[InstanceName, Listener] = {}
        self._book: HostBook[InstanceName] = HostBook(())
        self._known: dict[_Asked, Neighbour] = {}
        self._trouble = ""
        """Why the directory could not be read the last time; empty when it could."""

    def resolve(self, address: TcpAddress) -> RealAddress:
        """The real place of a modelled address; raises as `PortDirectory.resolve`."""
        return self._directory.resolve(self._estate, address, self._name)

    def tenant(self, place: RealAddress) -> InstanceName | None:
        """Who listens at a real place; None when nobody of the estate is known to. `OSError`."""
        self._look()
        return self._at(place)

    def is_tenant(self, peer: Peer, place: RealAddress) -> bool:
        """Whether a peer has shown the certificate of whoever listens at a place."""
        with suppress(OSError):
            self._look()
        name = self._proved(peer)
        return name is not None and name == self._at(place)

    def of(self, peer: Peer | None, place: RealAddress | None) -> Neighbour:
        """Who is at the other end of a connection that is logged in; `place` is where it is known to listen.

        The same object as long as nothing has changed. While the directory cannot be read, as it was last read.
        """
        assert peer is not None, "who is not logged in hands nothing over"
        try:
            self._look()
            self._trouble = ""
        except OSError as error:
            self._say_once(str(error))
        asked = peer.instance, peer.principal, peer.method, peer.certificate, place
        known = self._known.get(asked)
        if known is None:
            if len(self._known) >= NEIGHBOURS_MAX:
                self._known.clear()
            known = self._known[asked] = self._described(peer, place)
        return known

    def _say_once(self, trouble: str) -> None:
        """Not for each message that comes meanwhile."""
        if trouble != self._trouble:
            logger.warning("Instance %s of estate %s: %s.", self._name, self._estate, trouble)
        self._trouble = trouble

    def _described(self, peer: Peer, place: RealAddress | None) -> Neighbour:
        """A name counts where a host vouches for it; else it is known who it is by its certificate, or its place."""
        is_vouched = peer.method is Method.VOUCHED
        name = peer.instance if is_vouched else self._proved(peer) or (None if place is None else self._at(place))
        listener = None if name is None else self._listeners.get(name)
        book = self._book
        described = Neighbour(instance=peer.instance, principal=peer.principal, is_vouched=is_vouched)
        # Who comes with a certificate that is not known here, where CONNECT is granted to public, may be any of them.
        if not is_vouched and peer.certificate is not None:
            others = (each.brokers for each in self._listeners.values() if each is not listener)
            described = msgspec.structs.replace(
                described,
                brokers_of_others=frozenset(chain.from_iterable(others)),
                is_at_another=lambda address: book.at(address, self._name) not in ([], [name]),
            )
        if listener is None:
            return described
        return msgspec.structs.replace(
            described,
            is_self=name == self._name,
            forwards=listener.forwards,
            brokers=frozenset(listener.brokers),
            is_at=lambda address: listener.instance in book.at(address, self._name),
        )

    def _proved(self, peer: Peer) -> InstanceName | None:
        """Which instance of the estate shows the certificate that a peer has proved to have."""
        master = self._catalog().databases.get(MASTER)
        shown = None if master is None or peer.certificate is None else master.certificates.get(peer.certificate)
        if shown is None:
            return None
        digest = hashlib.sha256(shown.certificate).hexdigest()
        return next((each.instance for each in self._listeners.values() if each.certificate == digest), None)

    def _at(self, place: RealAddress) -> InstanceName | None:
        return next((each.instance for each in self._listeners.values() if each.real == place), None)

    def _look(self) -> None:
        state = self._directory.state()
        if state == self._state:
            return
        self._listeners = {each.instance: each for each in self._directory.listeners(self._estate)}
        self._book = HostBook((each.instance, each.hosts, each.modelled_port) for each in self._listeners.values())
        self._known.clear()
        self._state = state

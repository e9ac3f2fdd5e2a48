"""`InstanceListener`: the real listener of one instance follows the endpoint that its catalog defines."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Hashable

from engine.core.catalog.endpoint_rules import credential_of
from engine.core.catalog.hosts import host_names
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import EndpointState
from engine.core.instance import Instance
from engine.core.link.handshake import LoginTerms
from engine.core.link.negotiation import policy_of
from engine.core.vocabulary.settings import Authentication
from engine.hosting.directory import Listener
from engine.hosting.link_certificates import LinkCertificates
from engine.hosting.listener_terms import ListenerTerms, cannot_listen, port_in_use
from engine.hosting.shelf import InstanceKey
from engine.hosting.surroundings import Surroundings
from engine.transport.endpoint import BrokerEndpoint
from engine.transport.link import ENDPOINT_STOPPED


class InstanceListener:
    """Lives on the loop of its instance. `port` is the real one, None while nothing listens; `error` says why not."""

    def __init__(
        self,
        key: InstanceKey,
        instance: Instance,
        endpoint: BrokerEndpoint,
        surroundings: Surroundings,
        is_silent: Callable[[], bool],
    ) -> None:
        """`is_silent` tells that the instance answers nobody any more; asked anew each time, it changes meanwhile."""
        self.port: int | None = None
        self.error = ""
        self._estate, self._name = key
        self._instance = instance
        self._endpoint = endpoint
        self._around = surroundings
        self._is_silent = is_silent
        self._catalog_seen: InstanceCatalog | None = None
        self._seen: ListenerTerms | None = None
        self._served: ListenerTerms | None = None
        self._entered_in: Hashable = None
        """File of the directory in which its entry stands."""
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        """Follow the endpoint as it is defined now, and be found in the directory."""
        self._seen = ListenerTerms.of(self._instance.catalog)
        await self.follow()

    def look(self) -> None:
        """Follow the endpoint when the catalog has changed it, or the names of the server."""
        if self._instance.catalog is self._catalog_seen:
            # A changed catalog is another object; asked after every turn, this is all that it costs.
            return
        self._catalog_seen = self._instance.catalog
        wanted = ListenerTerms.of(self._catalog_seen)
        if wanted == self._seen:
            return
        self._seen = wanted
        task = asyncio.get_running_loop().create_task(self.follow())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def follow(self) -> None:
        """Bring the real listener to what is wanted now; one at a time, since a change may follow a change."""
        async with self._turn:
            if self._is_silent():
                return
            wanted = ListenerTerms.of(self._instance.catalog)
            endpoint, trouble = wanted.endpoint, ""
            try:
                if endpoint is None or endpoint.state is not EndpointState.STARTED:
                    self.stop()
                else:
                    if (reason := wanted.reason_to_restart(self._served)) is not None:
                        self.stop(reason)
                    trouble = await self._start(wanted, endpoint.port)
                if self._is_silent():
                    # It fell silent while the listener came up.
                    self.stop()
                    return
                self.enter()
            except OSError as error:
                self.stop()
                trouble = cannot_listen(error)
            self.error = trouble

    def stop(self, reason: int = ENDPOINT_STOPPED) -> None:
        """Listen no more, and tell the callers why."""
        self._endpoint.stop(reason)
        self.port = self._served = None

    async def ended(self) -> None:
        """Wait for what is under way."""
        for task in list(self._tasks):
            await task

    def enter(self) -> None:
        """Tell the neighbours, through the directory, where this instance is; `OSError`."""
        real = None if self.port is None else (self._around.listen_host, self.port)
        self._around.directory.put(self._estate, self._entry(real))
        self._entered_in = self._around.directory.file()

    def stay_found(self) -> None:
        """Tell it again where the directory had to be begun anew; harmless when it had not. `OSError`."""
        if not self._is_silent() and self._around.directory.file() != self._entered_in:
            self.enter()

    def terms(self, certificates: LinkCertificates, authentication: Authentication) -> LoginTerms:
        """What the endpoint demands of a connection that is opened now."""
        catalog = self._instance.catalog
        return LoginTerms(
            policy=policy_of(catalog.endpoint, authentication),
            security=certificates.of(catalog),
            listening_port=self.port,
        )

    async def _start(self, wanted: ListenerTerms, port: int) -> str:
        """Listen, unless another instance of the same server does so on this port: answers why not. `OSError`."""
        occupant = self._around.directory.occupant(self._estate, self._entry(None))
        if occupant is None:
            self.port, self._served = await self._endpoint.start(), wanted
            return ""
        self.stop()
        return port_in_use(port, occupant)

    def _entry(self, real: tuple[str, int] | None) -> Listener:
        endpoint, credential = self._instance.catalog.endpoint, credential_of(self._instance.catalog)
        return Listener(
            instance=self._name,
            hosts=host_names(self._name, self._instance.catalog.host_names),
            modelled_port=None if endpoint is None else endpoint.port,
            real=real,
            forwards=endpoint is not None and endpoint.is_message_forwarding_enabled,
            brokers=tuple(each.broker_instance for each in self._instance.catalog.databases.values()),
            certificate=None if credential is None else hashlib.sha256(credential[0]).hexdigest(),
        )

"""Instances with certificates on real sockets and without a broker behind them: what connections alone decide."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from engine.core.link.handshake import LinkIdentity, LoginTerms
from engine.core.link.negotiation import Algorithm, EncryptionLevel, LinkPolicy, Method
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.messages import (
    ForwardedMessage,
    LinkChange,
    LinkState,
    LoginEnded,
    MessagesReturned,
    Outbound,
    TcpAddress,
)
from engine.core.vocabulary.settings import LinkSettings
from engine.transport.certificates import CertificateStore
from engine.transport.dialer import Dialer, HostUnknown
from engine.transport.endpoint import BrokerEndpoint
from engine.transport.switchboard import Switchboard
from tests.support.hand_clock import LoopClock
from tests.support.self_signed import self_signed
from tests.support.wire_messages import message

SECURE = LinkPolicy(
    methods=(Method.CERTIFICATE,),
    certificate="own",
    encryption=EncryptionLevel.REQUIRED,
    algorithms=(Algorithm.AES,),
)


class ProvingInstance:
    """Listens and dials as a hosted instance does; keeps what it hears and what becomes of logins."""

    def __init__(
        self,
        name: str,
        places: dict[TcpAddress, tuple[str, int]],
        settings: LinkSettings | None = None,
        *,
        estate: str = "demo",
        **shown: object,
    ) -> None:
        self.name = name
        self.address = TcpAddress(name.lower(), 4022)
        self.policy = SECURE
        self.certificate, sign = self_signed(name, **shown)
        self.store = CertificateStore()
        self.store.add_own("own", self.certificate, sign)
        self.logins: list[LoginEnded] = []
        self.changes: list[LinkChange] = []
        self.heard: list[ForwardedMessage] = []
        self.returned: list[MessagesReturned] = []
        self._places = places
        identity = LinkIdentity(estate=EstateName(estate), instance=InstanceName(name), arbitration_id=uuid4())
        self.switchboard = Switchboard(identity.arbitration_id, on_login=self.logins.append)
        self.dialer = Dialer(
            identity,
            settings or LinkSettings(),
            LoopClock(),
            resolve=self._resolve,
            on_change=self.changes.append,
            on_messages=lambda _, messages: self.heard.extend(messages),
            on_claim=lambda _: None,
            on_returned=self.returned.append,
            switchboard=self.switchboard,
            terms=self.terms,
        )
        self.endpoint = BrokerEndpoint(
            identity,
            settings or LinkSettings(),
            LoopClock(),
            on_messages=lambda _, messages: self.heard.extend(messages),
            on_asker=lambda _: None,
            host="127.0.0.1",
            switchboard=self.switchboard,
            terms=self.terms,
        )

    def terms(self) -> LoginTerms:
        return LoginTerms(policy=self.policy, security=self.store)

    def trusts(self, other: ProvingInstance) -> None:
        self.store.add_peer(f"{other.name}'s", other.certificate, f"{other.name} user")
        self.store.grant_connect(f"{other.name} user")

    async def listen(self) -> tuple[str, int]:
        self._places[self.address] = ("127.0.0.1", await self.endpoint.start())
        return self._places[self.address]

    def send(self, to: ProvingInstance, sequences: Sequence[int], body: bytes = b"bonjour") -> None:
        for sequence in sequences:
            self.dialer.send(Outbound(to.address, message(sequence, body)))

    def sequences(self) -> list[int | None]:
        return [each.message.sequence for each in self.heard]

    def is_connected(self) -> bool:
        return self.changes[-1:] != [] and self.changes[-1].state is LinkState.LOGGED_IN

    def is_closed(self) -> bool:
        return self.changes[-1:] != [] and self.changes[-1].state is LinkState.CLOSED

    def close(self) -> None:
        self.dialer.close()
        self.endpoint.stop()

    def _resolve(self, address: TcpAddress) -> tuple[str, int]:
        if address not in self._places:
            raise HostUnknown(address.host)
        return self._places[address]

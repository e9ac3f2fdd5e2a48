"""What protection costs a connection: messages of 1 KiB from one end to the other, without a network."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.handshake import OPEN_TERMS, LinkIdentity, LoginTerms
from engine.core.link.negotiation import Algorithm, EncryptionLevel, LinkPolicy, Protection
from engine.core.link.states import LinkRole
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.settings import LinkSettings
from engine.transport.certificates import CertificateStore
from tests.benchmarks.measure import in_turns
from tests.support.wire_messages import message

NOW = Now(Instant(0.0), UtcTime(1_800_000_000.0))
MESSAGES = [message(number, bytes(1024)) for number in range(2_000)]
ENCRYPTED = LinkPolicy(encryption=EncryptionLevel.REQUIRED, algorithms=(Algorithm.AES,))


def end(role: LinkRole, terms: LoginTerms) -> AdjacentBrokerConnection:
    identity = LinkIdentity(estate=EstateName("demo"), instance=InstanceName(role), arbitration_id=UUID(int=1))
    connection = AdjacentBrokerConnection(role, identity, LinkSettings(), NOW, terms=terms)
    connection.opened(NOW)
    return connection


def carrier(terms: LoginTerms, protection: Protection) -> Callable[[], int]:
    """Carries all messages over one connection that is logged in."""
    paris, lyon = end(LinkRole.DIALLING, terms), end(LinkRole.ACCEPTING, terms)
    for _ in range(4):
        lyon.receive_data(paris.data_to_send(), NOW)
        paris.receive_data(lyon.data_to_send(), NOW)
    assert paris.known_peer is not None
    assert paris.known_peer.protection is protection

    def carry() -> int:
        assert paris.send(MESSAGES, NOW) == []
        arrived = lyon.receive_data(paris.data_to_send(), NOW)
        assert len(arrived) == len(MESSAGES)
        return len(arrived)

    return carry


def test_protection(show: Callable[[str, list[list[str]]], None]) -> None:
    store = CertificateStore()
    figures = in_turns(
        {
            "checksum only": carrier(OPEN_TERMS, Protection.NONE),
            "signed": carrier(LoginTerms(security=store), Protection.SIGNED),
            "TLS 1.3": carrier(LoginTerms(policy=ENCRYPTED, security=store), Protection.AES),
        }
    )
    rows = [["protection", "µs a message", "messages/s"]]
    for name, figure in figures.items():
        rows.append([name, f"{figure.median * 1e6:.1f}", f"{1 / figure.median:,.0f}"])
    show("A connection, both ends, messages of 1 KiB", rows)

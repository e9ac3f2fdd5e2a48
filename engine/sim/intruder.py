"""`Intruder`: a machine that connects to an instance and speaks on conversations that are none of its own.

It says what the protocol allows, with the true numbers, names and ids, which it has overheard; only who it is cannot be
helped. One without the key of the hosts is to be let in by nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.core.catalog.objects import DEFAULT_TYPE
from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.endings import CONNECT_FAILED, HUNG_UP
from engine.core.link.handshake import LinkIdentity, LoginTerms
from engine.core.link.negotiation import LinkPolicy, Method
from engine.core.link.states import LinkRole
from engine.core.vocabulary.identifiers import BrokerInstanceId, EstateName, InstanceName
from engine.core.vocabulary.messages import (
    Acknowledgement,
    DialogMessage,
    DialogTarget,
    ForwardedMessage,
    LinkState,
    MessageKind,
    TcpAddress,
)
from engine.core.vocabulary.moment import Duration
from engine.core.vocabulary.rows import ConversationEndpoint
from engine.core.vocabulary.settings import LinkSettings
from engine.sim.clock import MachineClock
from engine.sim.entropy import Dice
from engine.sim.link import SimulatedLink
from engine.sim.link_security import SimulatedLinkSecurity
from engine.sim.network import Network

PROVING: Final = LinkPolicy(methods=(Method.VOUCHED,))
"""What endpoints demand in a world with intruders."""
FORGED: Final = b"forged"
HOPS: Final = 8
FORGED_LIVES: Final = Duration(59.3125)
"""Time to live of what intruders say, by which the books know it: no honest message has this one."""

Forgery = Callable[[ConversationEndpoint, BrokerInstanceId, Dice], DialogMessage]
"""From the end that is to be deceived, and the broker id of its database."""


def _said(row: ConversationEndpoint, own: BrokerInstanceId, dice: Dice, kind: MessageKind) -> DialogMessage:
    """What the far end could say."""
    far = row.far_broker_instance or BrokerInstanceId(dice.uuid())
    return DialogMessage(
        conversation_id=row.conversation_id,
        from_initiator=not row.is_initiator,
        source=DialogTarget(row.far_service, far),
        target=DialogTarget(row.service, own),
        kind=kind,
        contract=row.contract,
        expires_at=row.lifetime,
    )


def _receipt(row: ConversationEndpoint, own: BrokerInstanceId, dice: Dice) -> DialogMessage:
    """Everything that was sent has arrived, says somebody who has none of it."""
    said = _said(row, own, dice, MessageKind.ACKNOWLEDGEMENT)
    last = max(row.send_sequence - 1, 0)
    source = said.source.broker_instance
    assert source is not None
    return _with(said, acknowledgement=Acknowledgement(last, last, source))


def _letter(row: ConversationEndpoint, own: BrokerInstanceId, dice: Dice) -> DialogMessage:
    """The next message, or one a little later."""
    number = row.receive_sequence + dice.number(0, 1)
    said = _said(row, own, dice, MessageKind.USER)
    return _with(said, sequence=number, message_type=DEFAULT_TYPE, body=FORGED)


def _end(row: ConversationEndpoint, own: BrokerInstanceId, dice: Dice) -> DialogMessage:
    return _with(_said(row, own, dice, MessageKind.END_DIALOG), sequence=row.receive_sequence)


def _error(row: ConversationEndpoint, own: BrokerInstanceId, dice: Dice) -> DialogMessage:
    """Of an application, with a number."""
    said = _said(row, own, dice, MessageKind.ERROR)
    return _with(said, sequence=row.receive_sequence, body=FORGED)


def _broker_error(row: ConversationEndpoint, own: BrokerInstanceId, dice: Dice) -> DialogMessage:
    """Of a broker, without one."""
    return _with(_said(row, own, dice, MessageKind.ERROR), body=FORGED)


def _letter_with_receipt(row: ConversationEndpoint, own: BrokerInstanceId, dice: Dice) -> DialogMessage:
    return _with(_letter(row, own, dice), acknowledgement=_receipt(row, own, dice).acknowledgement)


def _with(message: DialogMessage, **fields: object) -> DialogMessage:
    return DialogMessage(**{name: getattr(message, name) for name in message.__struct_fields__} | fields)


FORGERIES: Final[tuple[Forgery, ...]] = (_receipt, _letter, _end, _error, _broker_error, _letter_with_receipt)


class Intruder:
    """One connection of one machine to one instance. `on_login` is told when it was let in."""

    def __init__(
        self,
        network: Network,
        dice: Dice,
        ends: tuple[InstanceName, InstanceName],
        estate: EstateName,
        *,
        has_key: bool,
        on_login: Callable[[Intruder], None],
    ) -> None:
        """`ends` are the machine and its victim; `has_key` that the hosts take it for one of theirs."""
        self._network = network
        self._on_login = on_login
        clock = MachineClock(network.agenda)
        identity = LinkIdentity(estate=estate, instance=ends[0], arbitration_id=dice.uuid())
        terms = LoginTerms(policy=PROVING, security=SimulatedLinkSecurity(dice, is_stranger=not has_key))
        self._connection = AdjacentBrokerConnection(
            LinkRole.DIALLING, identity, LinkSettings(), clock.now(), terms=terms
        )
        self._link = SimulatedLink(
            self._connection, network, ends, clock, _deaf, self._changed, lambda _link, _heard: None
        )

    def dial(self, address: TcpAddress) -> None:
        """Connect; what becomes of it is told by `on_login`, or not."""
        self._network.connect(self._link.ends[0], self._link, address, CONNECT_FAILED, CONNECT_FAILED)

    def say(self, messages: Sequence[DialogMessage]) -> None:
        """Hand over messages as if they had come from far away."""
        transit = [ForwardedMessage(message=each, hops_remaining=HOPS, time_to_live=FORGED_LIVES) for each in messages]
        self._link.send(transit)

    def leave(self) -> None:
        """Hang up."""
        self._link.close(HUNG_UP)

    def _changed(self, link: SimulatedLink) -> None:
        if link.connection.state is LinkState.LOGGED_IN:
            self._on_login(self)


def _deaf(_link: SimulatedLink, _messages: Sequence[ForwardedMessage]) -> None:
    """What it hears is of no interest."""

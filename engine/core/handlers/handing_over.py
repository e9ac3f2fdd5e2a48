"""Handing over what leaves for the network: secured when its dialog is, and with the time that it may be under way."""

from __future__ import annotations

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.piece import Piece
from engine.core.handlers import securing
from engine.core.handlers.broker import Broker
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.limits import FORWARD_SECONDS_MAX, HOPS_MAX, PRIORITY_LEVEL_DEFAULT
from engine.core.vocabulary.messages import DialogMessage, ForwardedMessage, Outbound, TcpAddress
from engine.core.vocabulary.moment import Duration, UtcTime


def send_pieces(
    broker: Broker, endpoint: DialogEndpoint, pieces: list[Piece], address: TcpAddress, priority: int
) -> None:
    """Hand over pieces of one conversation, each secured when the dialog is."""
    messages = endpoint.travelling(pieces)
    if endpoint.session is not None or securing.is_secured(endpoint):
        secured = (securing.secured(broker, endpoint.database, message) for message in messages)
        messages = [message for message in secured if message is not None]
    lives = _time_to_live(broker, endpoint.row.lifetime)
    broker.send(
        [
            Outbound(address, ForwardedMessage(message=message, hops_remaining=HOPS_MAX, time_to_live=lives))
            for message in messages
        ],
        priority,
    )


def send_acknowledgement(broker: Broker, endpoint: DialogEndpoint, address: TcpAddress, priority: int) -> None:
    """A dedicated acknowledgement leaves, unless the key of its dialog cannot be had."""
    message: DialogMessage | None = endpoint.acknowledgement_message()
    if message is not None and (endpoint.session is not None or securing.is_secured(endpoint)):
        message = securing.secured(broker, endpoint.database, message)
    if message is not None:
        _hand_over(broker, message, address, priority)


def send(broker: Broker, database: DatabaseName, message: DialogMessage, address: TcpAddress) -> None:
    """Hand a message over, secured when its dialog is; one whose key cannot be had does not leave."""
    ready = securing.secured(broker, database, message)
    if ready is not None:
        _hand_over(broker, ready, address, PRIORITY_LEVEL_DEFAULT)


def _hand_over(broker: Broker, message: DialogMessage, address: TcpAddress, priority: int) -> None:
    lives = _time_to_live(broker, message.expires_at)
    transit = ForwardedMessage(message=message, hops_remaining=HOPS_MAX, time_to_live=lives)
    broker.send_one(Outbound(address, transit), priority)


def _time_to_live(broker: Broker, expires_at: UtcTime) -> Duration:
    """Seconds that a message may be under way."""
    return Duration(min(max(0.0, expires_at - broker.now.utc), FORWARD_SECONDS_MAX))

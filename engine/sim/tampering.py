"""Messages that somebody between two brokers changes: all of a secured message is protected (protocol.md 3.7).

The frames around them fit, so that only the integrity check of the dialog can tell. A first message is never stripped
of its security: without it, it is the first message of another dialog, which nothing forbids.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from engine.core.vocabulary.dialog_security import MessageSecurity
from engine.core.vocabulary.identifiers import ContractName, MessageTypeName
from engine.core.vocabulary.messages import Acknowledgement, DialogMessage, ForwardedMessage, MessageKind
from engine.core.vocabulary.moment import UtcTime
from engine.sim.entropy import Dice

_replace = msgspec.structs.replace

Trick = Callable[[DialogMessage, MessageSecurity, Dice], DialogMessage]


def tampered(transit: ForwardedMessage, dice: Dice) -> ForwardedMessage:
    """A message with something about it changed; one that is not secured stays as it is."""
    message = transit.message
    if not isinstance(message.security, MessageSecurity):
        return transit
    changed = dice.choose(TRICKS)(message, message.security, dice)
    return _replace(transit, message=changed)


def _body(message: DialogMessage, security: MessageSecurity, dice: Dice) -> DialogMessage:
    return _replace(message, body=_flipped(message.body or b"\0", dice))


def _check(message: DialogMessage, security: MessageSecurity, dice: Dice) -> DialogMessage:
    return _replace(message, security=_replace(security, mic=_flipped(security.mic, dice)))


def _salt(message: DialogMessage, security: MessageSecurity, dice: Dice) -> DialogMessage:
    return _replace(message, security=_replace(security, salt=_flipped(security.salt, dice)))


def _key(message: DialogMessage, security: MessageSecurity, dice: Dice) -> DialogMessage:
    return _replace(message, security=_replace(security, session_key_id=dice.uuid()))


def _header(message: DialogMessage, security: MessageSecurity, dice: Dice) -> DialogMessage:
    header = security.header
    if header is None:
        return _check(message, security, dice)
    wrong = _replace(header, session_key=_flipped(header.session_key, dice))
    return _replace(message, security=_replace(security, header=wrong))


def _number(message: DialogMessage, security: MessageSecurity, dice: Dice) -> DialogMessage:
    if message.sequence is None:
        return _check(message, security, dice)
    return _replace(message, sequence=message.sequence + dice.number(1, 3))


def _kind(message: DialogMessage, security: MessageSecurity, dice: Dice) -> DialogMessage:
    """A letter that pretends to be the end, in the place of the letter."""
    if message.kind is not MessageKind.USER or not message.sequence or message.fragment is not None:
        return _check(message, security, dice)
    return _replace(message, kind=MessageKind.END_DIALOG, message_type=None)


def _names(message: DialogMessage, security: MessageSecurity, dice: Dice) -> DialogMessage:
    if message.message_type is None:
        return _replace(message, contract=ContractName(f"{message.contract}x"))
    return _replace(message, message_type=MessageTypeName(f"{message.message_type}x"))


def _lifetime(message: DialogMessage, security: MessageSecurity, dice: Dice) -> DialogMessage:
    return _replace(message, expires_at=UtcTime(message.expires_at - dice.between(1.0, 1_000_000.0)))


def _receipt(message: DialogMessage, security: MessageSecurity, dice: Dice) -> DialogMessage:
    """A receipt for messages that were not received: believed, it would lose them."""
    receipt = message.acknowledgement
    if receipt is None:
        return _check(message, security, dice)
    up_to = receipt.up_to + dice.number(1, 3)
    more = Acknowledgement(up_to, max(up_to, receipt.highest_seen), receipt.broker_instance)
    return _replace(message, acknowledgement=more)


def _nothing_secured(message: DialogMessage, security: MessageSecurity, dice: Dice) -> DialogMessage:
    if message.sequence == 0:
        return _check(message, security, dice)
    return _replace(message, security=msgspec.UNSET)


def _flipped(data: bytes, dice: Dice) -> bytes:
    place = dice.number(0, max(len(data) - 1, 0))
    return data[:place] + bytes([data[place] ^ dice.number(1, 255)]) + data[place + 1 :] if data else data


TRICKS: Final[tuple[Trick, ...]] = (
    _body,
    _check,
    _salt,
    _key,
    _header,
    _number,
    _kind,
    _names,
    _lifetime,
    _receipt,
    _nothing_secured,
)

"""The session of a secured dialog: which key protects which message, and what exactly it protects (protocol.md 9.2).

A sequenced message goes under the key of its own direction; an acknowledgement and a broker's own error go under the
key of what they answer. An anonymous dialog has one key for both directions.

A large message is secured as a whole and then cut, always into the same pieces; each piece has an integrity check of
its own over everything but its bytes, so that it can be placed. Its bytes are believed with the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from engine.core.vocabulary.dialog_security import DialogSecurity, DialogSecurityHeader, MessageSecurity
from engine.core.vocabulary.identifiers import ConversationId
from engine.core.vocabulary.keys import Protected, SessionKey
from engine.core.vocabulary.messages import DialogMessage, MessageKind

_ENCODER: Final = msgspec.msgpack.Encoder(uuid_format="bytes")

MIC_BYTES: Final = 16
"""Of both suites."""


class _Whole(NamedTuple):
    """A secured body before it is cut: what `Protected` holds, as one sequence of bytes."""

    salt: bytes
    mic: bytes
    body: bytes


_WHOLE: Final = msgspec.msgpack.Decoder(_Whole)


@dataclass(slots=True, frozen=True)
class OpenKey:
    """A session key in use, with the id by which messages name it."""

    identifier: UUID
    key: SessionKey


@dataclass(slots=True, frozen=True)
class DialogSession:
    """The keys of one endpoint in use. A key is missing until its direction has begun."""

    outbound: OpenKey | None
    inbound: OpenKey | None
    header: DialogSecurityHeader | None = None
    """Rides on our first message, and on an Error that may come without it; none when the first is acknowledged."""

    def secured(self, message: DialogMessage, first: int = 0) -> DialogMessage | None:
        """A message as it travels, where the oldest one that is not acknowledged is `first`; None without a key.

        The first one that travels is not always message 0: those before it may have gone directly (protocol.md 9.1).
        """
        if message.is_sequenced:
            # An Error may be all that is left of a direction: END WITH ERROR deletes message 0 with the others.
            is_first = message.sequence == first or message.kind is MessageKind.ERROR
            key, header = self.outbound, self.header if is_first else None
        else:
            key, header = self.inbound or self.outbound, None
        return None if key is None else protect(message, key, header)

    def secured_body(self, message: DialogMessage) -> bytes | None:
        """The body of a large message as it is cut into pieces, the same each time; None without a key."""
        key = self.outbound
        if key is None:
            return None
        protected = key.key.protect_alike(_identity(message, key), message.body or b"")
        return _ENCODER.encode(_Whole(protected.salt, protected.mic, protected.body))

    def opened_body(self, message: DialogMessage) -> bytes | None:
        """The body of a large message that was put together, in clear; None when it is not what was secured."""
        key = self.inbound
        if key is None:
            return None
        try:
            whole = _WHOLE.decode(message.body or b"")
        except msgspec.MsgspecError:
            return None
        return key.key.open(_identity(message, key), Protected(*whole))

    def key_of(self, security: MessageSecurity) -> OpenKey | None:
        """The key that an arriving message names."""
        for key in (self.inbound, self.outbound):
            if key is not None and key.identifier == security.session_key_id and key.key.suite is security.suite:
                return key
        return None


def protect(message: DialogMessage, key: OpenKey, header: DialogSecurityHeader | None = None) -> DialogMessage:
    """The message with its body encrypted and everything else under the integrity check.

    A fragment's body is a piece of what is secured already; its check follows, sealed, where others have their body.
    """
    security = MessageSecurity(suite=key.key.suite, session_key_id=key.identifier, salt=b"", mic=b"", header=header)
    is_whole = message.fragment is None
    protected = key.key.protect(_readable(message, security), (message.body or b"") if is_whole else b"")
    security = MessageSecurity(
        suite=security.suite,
        session_key_id=key.identifier,
        salt=protected.salt,
        mic=protected.mic if is_whole else protected.mic + protected.body,
        header=header,
    )
    return msgspec.structs.replace(message, body=protected.body if is_whole else message.body, security=security)


def open_message(message: DialogMessage, security: MessageSecurity, key: OpenKey) -> DialogMessage | None:
    """The message in clear, a fragment as it is; None when it is not what was protected."""
    bare = msgspec.structs.replace(security, salt=b"", mic=b"")
    if message.fragment is not None:
        check = Protected(security.salt, security.mic[:MIC_BYTES], security.mic[MIC_BYTES:])
        return None if key.key.open(_readable(message, bare), check) is None else message
    protected = Protected(security.salt, security.mic, message.body or b"")
    body = key.key.open(_readable(message, bare), protected)
    return None if body is None else msgspec.structs.replace(message, body=body or None, security=msgspec.UNSET)


def _readable(message: DialogMessage, security: MessageSecurity) -> bytes:
    """Everything that travels in clear. The priority is a matter of each instance: forwarders set their own."""
    return _ENCODER.encode(msgspec.structs.replace(message, body=None, priority=0, security=security))


def _identity(message: DialogMessage, key: OpenKey) -> bytes:
    """Which message of which dialog a large body is; the rest of its header is under the check of each piece."""
    place = (message.conversation_id, message.from_initiator, message.sequence, message.message_type)
    return _ENCODER.encode((*place, key.identifier))


def signed_content(message: DialogMessage, key_id: UUID, header: DialogSecurityHeader) -> bytes:
    """What the signature of a security header covers: the keys, and whose dialog they are for."""
    bare = msgspec.structs.replace(header, signature=b"")
    parties = (message.source.service_name, message.target.service_name)
    return _ENCODER.encode((message.conversation_id, message.from_initiator, *parties, key_id, bare))


@dataclass(slots=True, frozen=True)
class ArrivedSession:
    """The key of the message that is being taken in: what answers it goes under the same (protocol.md 9.2)."""

    conversation_id: ConversationId
    key: OpenKey
    security: DialogSecurity | None = None
    """What a new endpoint has to remember."""
    session: DialogSession | None = None
    """All keys of an endpoint that was there before and is gone; None where the message has brought its key itself."""

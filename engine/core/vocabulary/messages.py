"""What travels: messages of a dialog, the acknowledgement that rides on them, and what a forwarder adds.

Four kinds of message exist (protocol.md 2). USER and END_DIALOG and ERROR made by an application are *sequenced*:
numbered, kept until acknowledged, delivered once and in order. An ERROR made by a broker and a bare
ACKNOWLEDGEMENT are *unsequenced*: sent once, made again when the peer repeats what provoked them.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec import UNSET, UnsetType

from engine.core.vocabulary.dialog_security import MessageSecurity
from engine.core.vocabulary.enumerations import plain_members
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    ConversationId,
    InstanceName,
    MessageTypeName,
    ServiceName,
)
from engine.core.vocabulary.moment import Duration, UtcTime

Position = tuple[int, int]
"""Number of a message and number of a fragment in it; a message that travels whole is its own fragment 0."""

NOTHING_SEEN: Position = (-1, 0)
"""Before every message of a direction."""


class TcpAddress(msgspec.Struct, frozen=True, order=True, gc=False):
    """Where an instance listens: a host, folded to lower case, and a port. Used as a key, hence normalised."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"TCP://{host}:{self.port}"


class DialogTarget(msgspec.Struct, frozen=True, gc=False):
    """One party of a dialog as the other addresses it: a service and, once known, its database's broker id."""

    service_name: ServiceName
    broker_instance: BrokerInstanceId | None = None


@plain_members
class MessageKind(StrEnum):
    """What a message is for; decides numbering and storage (protocol.md 2)."""

    USER = "user"
    END_DIALOG = "end-dialog"
    ERROR = "error"
    ACKNOWLEDGEMENT = "acknowledgement"


class Acknowledgement(msgspec.Struct, frozen=True, gc=False):
    """Cumulative receipt: everything up to and including `up_to` is safely stored at the far end.

    `up_to` is -1 when nothing was received in order yet; `fragments` counts those of the message after it that are
    stored without a hole. What was seen at all is named by `highest_seen` and, within that message,
    `highest_seen_fragment`; when it lies beyond the next one that is expected, a gap is open (protocol.md 3.4).
    `broker_instance` is the database that acknowledges: it pins the initiator to this copy of the service for good.
    """

    up_to: int
    highest_seen: int
    broker_instance: BrokerInstanceId
    fragments: int = 0
    highest_seen_fragment: int = 0


class Fragment(msgspec.Struct, frozen=True, gc=False):
    """Which piece of its message a body is (protocol.md 3.3); all pieces but the last have the same size."""

    number: int
    """From 0."""
    size: int
    """Bytes of every piece but the last."""
    message_bytes: int
    """Bytes of the whole body."""

    @property
    def count(self) -> int:
        """How many pieces the message has."""
        return -(-self.message_bytes // self.size)

    @property
    def bytes(self) -> int:
        """Bytes of this piece."""
        return min(self.size, self.message_bytes - self.number * self.size)

    @property
    def is_possible(self) -> bool:
        """Whether the numbers fit each other (11298): a message of one piece is no fragment."""
        return self.size > 0 and 0 < self.number + 1 <= self.count and self.count > 1


class DialogMessage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message of a conversation as it travels between two brokers (header list: protocol.md 3.2)."""

    conversation_id: ConversationId
    from_initiator: bool
    source: DialogTarget
    """Service and broker id of the sender; the id is never absent on the wire (11203)."""
    target: DialogTarget
    kind: MessageKind
    sequence: int | None = None
    """Number in its direction, from 0; None for unsequenced messages."""
    contract: ContractName
    message_type: MessageTypeName | None = None
    body: bytes | None = None
    fragment: Fragment | None = None
    """Which piece `body` is; None when it is the whole."""
    acknowledgement: Acknowledgement | None = None
    first_acknowledged: bool = False
    """Set once the initiator has seen the acknowledgement of message 0: arms the replay guard (protocol.md 8.5)."""
    expires_at: UtcTime
    """End of the conversation's lifetime, from which the target learns it."""
    priority: int = 5
    security: MessageSecurity | UnsetType = UNSET
    """Present on secured dialogs, and no byte on others. Forwarders read everything but the body, and can change
    nothing (protocol.md 3.7)."""

    @property
    def is_sequenced(self) -> bool:
        """Whether this message is numbered, stored and acknowledged."""
        return self.sequence is not None

    @property
    def size(self) -> int:
        """Bytes of the body and of what secures it; names and numbers come on top, about the same for all."""
        return len(self.body or b"") + (0 if self.security is UNSET else self.security.size)


class ForwardedMessage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message in transit, with what limits its journey (`sys.dm_broker_forwarded_messages`)."""

    message: DialogMessage
    hops_remaining: int
    time_to_live: Duration
    """Seconds the message may spend in forwarders."""
    time_consumed: Duration = Duration(0)
    """Seconds it has spent there so far."""


class Outbound(msgspec.Struct, frozen=True, gc=False):
    """A message to be handed to the link towards `address`."""

    address: TcpAddress
    message: ForwardedMessage


@plain_members
class LinkState(StrEnum):
    """`sys.dm_broker_connections.state` of one connection (protocol.md 7.1)."""

    NEW = "NEW"
    CONNECTING = "CONNECTING"
    CONNECTED = "CONNECTED"
    LOGGED_IN = "LOGGED_IN"
    CLOSED = "CLOSED"


class LinkChange(msgspec.Struct, frozen=True, kw_only=True):
    """What the transport tells the core about an *outgoing* connection.

    `LOGGED_IN` means fragments may flow, `CLOSED` that they may not; `error` carries the status number and the
    operating system's words when the connection was not closed on purpose.
    """

    address: TcpAddress
    state: LinkState
    peer: InstanceName | None = None
    error: int | None = None
    detail: str = ""


class MessagesReturned(msgspec.Struct, frozen=True, kw_only=True):
    """What the transport gives back: messages that a connection has not taken, or had taken and never sent."""

    address: TcpAddress
    messages: tuple[ForwardedMessage, ...]
    is_closed: bool
    """The connection is closed, so another one may be tried; otherwise it is up and full."""


class LinkHasRoom(msgspec.Struct, frozen=True):
    """A connection has sent most of what it was given, as the core wanted to know."""

    address: TcpAddress


class LoginEnded(msgspec.Struct, frozen=True, kw_only=True):
    """How the handshake of one connection has ended, whoever opened it (Audit Broker Login, protocol.md 7.3)."""

    subclass: int
    """1 success, 2 protocol error, 3 message format error, 4 negotiate, 5 authentication, 6 authorization failure."""
    is_accept: bool
    """The peer has opened the connection."""
    peer: InstanceName | None
    """None when it ended before the peer was known."""
    principal: str | None
    """Owner of the peer's certificate, when it has proved one."""
    method: str | None
    protection: str | None
    own_methods: str = ""
    """How this end can prove itself, in its order: CERTIFICATE, WINDOWS, VOUCHED, with commas between."""
    peer_methods: str | None = None
    """The same of the peer; None when it has not said so."""
    login_state: str
    number: int | None = None
    """Why it failed."""
    text: str = ""

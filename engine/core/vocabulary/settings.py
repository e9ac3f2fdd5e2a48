"""Knobs of the protocol as frozen values; the defaults are the documented ones (protocol.md 20).

`at_pace` shortens every *waiting* time by one factor. The training and demonstration estates use it so that a
person need not wait a minute to see a retry; it never touches lifetimes, which belong to the user.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

import msgspec

from engine.core.vocabulary.dialog_security import KeySuite
from engine.core.vocabulary.limits import (
    FRAGMENT_BYTES_DEFAULT,
    FRAGMENT_BYTES_MAX,
    FRAGMENT_BYTES_MIN,
    LINK_ROOM_BYTES,
    MESSAGE_BODY_BYTES_MAX,
    OBJECT_BYTES_KEPT,
    PASSAGE_BYTES_MAX,
    REASSEMBLY_BYTES_MAX,
    TRANSMISSION_OBJECT_BYTES,
    WAITING_BYTES_KEPT,
)
from engine.core.vocabulary.moment import Duration


class WhilePending(StrEnum):
    """What becomes of a conversation without route while the configuration service was asked (routing.md E3)."""

    LITERAL = "literal"
    """Match goes on with the next step, as the original documents say."""
    WAIT = "wait"
    """It stays delayed until the answer is there, as another page of the vendor says."""


class NewBrokerEnds(StrEnum):
    """How NEW_BROKER ends the conversations of a database (identity.md 3)."""

    ERROR = "error"
    """Each with an Error in its own queue."""
    SILENTLY = "silently"
    """Removed without a word."""


class RestoreDelivery(StrEnum):
    """The delivery switch of a database that is restored or attached without an option (identity.md 4)."""

    UNCHANGED = "unchanged"
    """As it was when the backup was taken, as the original documents say."""
    OFF = "off"
    """Off until somebody switches it on, as newer pages say."""


class DialogSettings(msgspec.Struct, frozen=True):
    """Waiting times of the dialog protocol, in seconds, and its sizes, in bytes.

    Raises `ValueError` for a fragment size outside of `FRAGMENT_BYTES_MIN` and `FRAGMENT_BYTES_MAX`.
    """

    retry_seconds: tuple[Duration, ...] = (Duration(4), Duration(8), Duration(16), Duration(32), Duration(64))
    """Waits between transmissions of one message; the last one repeats (protocol.md 3.5)."""
    acknowledgement_delay_seconds: Duration = Duration(0.5)
    """How long an acknowledgement waits for a message to ride on (protocol.md 3.4)."""
    reclassify_seconds: Duration = Duration(60)
    """Wait of a DELAYED conversation before it is classified again (routing.md 7)."""
    reclassify_check_seconds: Duration = Duration(10)
    """Wait after a routing-relevant change before waiting conversations are classified again (routing.md 7)."""
    closed_target_guard_seconds: Duration = Duration(1800)
    """How long a closed target endpoint stays as replay guard (protocol.md 8.5); not shortened by the pace."""
    key_exchange_key_seconds: Duration = Duration(3 * 3600)
    """How long one key-exchange key serves the dialogs towards one certificate (protocol.md 20); not shortened."""
    key_suite: KeySuite = KeySuite.MD5
    """How new session keys protect messages; whatever an arriving message names is understood."""
    fragment_bytes: int = FRAGMENT_BYTES_DEFAULT
    """A larger body travels in pieces of this size (protocol.md 3.3)."""
    message_bytes_max: int = MESSAGE_BODY_BYTES_MAX
    """Largest body that is sent or put together (8459)."""
    reassembly_bytes_max: int = REASSEMBLY_BYTES_MAX
    """Bytes of large messages put together at once, beyond which no other is begun."""

    def __post_init__(self) -> None:
        if not FRAGMENT_BYTES_MIN <= self.fragment_bytes <= FRAGMENT_BYTES_MAX:
            raise ValueError(f"a fragment has {FRAGMENT_BYTES_MIN} to {FRAGMENT_BYTES_MAX} bytes")

    def at_pace(self, factor: float) -> Self:
        """The same settings with every waiting time divided by `factor`."""
        return msgspec.structs.replace(
            self,
            retry_seconds=tuple(Duration(seconds / factor) for seconds in self.retry_seconds),
            acknowledgement_delay_seconds=Duration(self.acknowledgement_delay_seconds / factor),
            reclassify_seconds=Duration(self.reclassify_seconds / factor),
            reclassify_check_seconds=Duration(self.reclassify_check_seconds / factor),
        )


class Authentication(StrEnum):
    """What WINDOWS in the clause of an endpoint means; CERTIFICATE is always proved (protocol.md 7.3)."""

    VOUCHED = "vouched"
    """Instances of an estate live in hosts that share the service key: where Windows would ask, the hosts vouch."""
    PROVED = "proved"
    """As written: Windows accounts, which do not exist here, are refused (28039)."""


class LinkSettings(msgspec.Struct, frozen=True):
    """Waiting times of the adjacent broker protocol, in seconds, and how it authenticates."""

    suppress_after_disconnect_seconds: Duration = Duration(15)
    suppress_after_failed_connect_seconds: Duration = Duration(60)
    """A destination is left alone for so long (protocol.md 7.1)."""
    idle_seconds: Duration = Duration(90)
    """A connection without traffic is closed after this (protocol.md 7.1)."""
    connect_seconds: Duration = Duration(10)
    handshake_seconds: Duration = Duration(10)
    frame_seconds: Duration = Duration(90)
    """A frame that has begun is complete within this, or its length is not believed any more.

    A full frame of 64 KiB needs 0.7 KiB/s for it, a fragment of 1 MiB 12 KiB/s, one of 4 MiB 46 KiB/s.
    """
    room_bytes: int = LINK_ROOM_BYTES
    """Bytes that a connection is given before the core waits to hear that most of them are sent."""
    passage_bytes: int = PASSAGE_BYTES_MAX
    """Bytes that are under way to one broker at once as long as nothing is lost on the way."""
    authentication: Authentication = Authentication.VOUCHED

    def at_pace(self, factor: float) -> Self:
        """The same settings with every suppression divided by `factor`."""
        return msgspec.structs.replace(
            self,
            suppress_after_disconnect_seconds=Duration(self.suppress_after_disconnect_seconds / factor),
            suppress_after_failed_connect_seconds=Duration(self.suppress_after_failed_connect_seconds / factor),
        )


class TransmissionObjectSettings(msgspec.Struct, frozen=True):
    """How many transmission objects stay in memory, and how the others leave it (protocol.md 5)."""

    bytes_kept: int = OBJECT_BYTES_KEPT
    """Memory for objects that nobody needs now; those that are needed stay however many they are."""
    batch_rows: int = 1_000
    """Objects written to the work table at once."""
    rest_seconds: Duration = Duration(1)
    """Rest of the flusher between two rounds (protocol.md 20)."""

    @property
    def kept(self) -> int:
        """How many objects `bytes_kept` has room for."""
        return self.bytes_kept // TRANSMISSION_OBJECT_BYTES


class EngineSettings(msgspec.Struct, frozen=True):
    """Everything an instance is told about waiting."""

    dialog: DialogSettings = DialogSettings()
    link: LinkSettings = LinkSettings()
    transmission_objects: TransmissionObjectSettings = TransmissionObjectSettings()
    waiting_bytes_kept: int = WAITING_BYTES_KEPT
    """Bytes of waiting messages in memory, beyond which what comes is left behind in the store (ADR 20)."""
    dynamic_routing_while_pending: WhilePending = WhilePending.LITERAL
    new_broker_ends_conversations: NewBrokerEnds = NewBrokerEnds.ERROR
    restore_delivery: RestoreDelivery = RestoreDelivery.UNCHANGED
    activation_check_seconds: Duration = Duration(5)
    """One more reader of a queue per so long, none so long after an empty RECEIVE (protocol.md 17.1, 20)."""
    transaction_idle_seconds: Duration = Duration(60)
    """A transaction without a statement for so long is rolled back: its session has gone. Not shortened by the pace."""

    def at_pace(self, factor: float) -> Self:
        """The same settings with every waiting time divided by `factor`; 1 is the documented pace."""
        return msgspec.structs.replace(
            self,
            dialog=self.dialog.at_pace(factor),
            link=self.link.at_pace(factor),
            activation_check_seconds=Duration(self.activation_check_seconds / factor),
        )

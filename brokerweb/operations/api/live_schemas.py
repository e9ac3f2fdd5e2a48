"""Shapes of what operators do about conversations that they see in the live views."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from ninja import Field
from pydantic import AfterValidator, StrictBool, StrictInt

from brokerweb.common.api.errors import Problem
from brokerweb.common.api.shape import Request, Shape
from brokerweb.operations.api.schemas import ConversationState
from brokerweb.operations.services.transmissions import RETRIED_MAX

ENDED_MAX = 200
"""Conversations that are ended by one request."""


class ConversationNamed(Request):
    """A side of a conversation."""

    instance: str
    database: str
    conversation_handle: UUID


class ConversationsEnd(Request):
    """END CONVERSATION for each of them: plain, or WITH CLEANUP, which tells the other side nothing."""

    conversations: list[ConversationNamed] = Field(min_length=1, max_length=ENDED_MAX)
    with_cleanup: StrictBool = False


class ConversationShape(Shape):
    """Which side of which conversation."""

    instance: str
    database: str
    conversation_handle: UUID


class ConversationEndResult(ConversationShape):
    """What came of one of them."""

    before: ConversationState | None
    state: ConversationState | None
    """What the endpoint is in now; null when it is gone, and when it was not ended."""
    problem: Problem | None
    """Why it was not ended; null when it was."""


class ConversationsEnded(Shape):
    """A result for each, in the order in which they were asked for."""

    results: list[ConversationEndResult]


class TransmissionsRetry(Request):
    """Retry what these conversations have to send."""

    conversations: list[ConversationNamed] = Field(min_length=1, max_length=RETRIED_MAX)


class GroupRetry(Request):
    """Retry what waits for one reason."""

    number: StrictInt | None
    """Of the transmission status; null for what has none."""
    instance: str | None = None
    """Null for all of the estate."""
    database: str | None = None


class TransmissionRetryResult(ConversationShape):
    """What came of one of them."""

    before: int | None
    """The transmission status that it had."""
    waiting: int | None
    """Messages that are still there, for a reason or for their acknowledgement; null when it was not retried."""
    number: int | None
    """The transmission status; null when nothing is in the way."""
    text: str
    problem: Problem | None
    """Why it was not retried; null when it was."""


class TransmissionsRetried(Shape):
    """A result for each, in the order in which they were asked for."""

    results: list[TransmissionRetryResult]


class GroupRetried(TransmissionsRetried):
    """A result for each, those of the oldest messages first."""

    left: int
    """Conversations of the group that were not retried: there are more than one request retries."""
    silent: list[str]
    """Instances that do not answer."""


class DecisionTold(Shape):
    """A decision of the router."""

    classification: Literal["local", "remote", "delayed", "dropped"]
    table: str
    """The database whose sys.routes was read."""
    route: str | None
    """The route that won; null when none did, or when the rule needs none."""
    address: str | None
    """The next hop; null where nothing leaves for the network."""
    database: str | None
    """Where the service is, of a local delivery."""
    status: int | None
    """The number that a waiting sender shows."""
    proof: list[str]
    """The decision step by step, a sentence a line."""


class RetryTold(Shape):
    """What would come of a retry now, as far as the instance knows without trying."""

    end: Literal["delivered", "sent", "connects", "waits", "frozen", "nothing-waits"]
    number: int | None
    text: str
    """The number in words."""
    address: str | None
    database: str | None
    connects_at: datetime | None
    """Until when the address is left alone after a failure."""
    retries_at: datetime | None
    """When the engine tries by itself next; null when nothing is planned."""


class TransmissionExplained(Shape):
    """Why the messages of a conversation wait."""

    at: datetime
    conversation_handle: UUID
    state: ConversationState
    from_service: str
    to_service: str
    waiting: int
    oldest: datetime | None
    number: int | None
    text: str
    """The transmission status."""
    then: DecisionTold | None
    """By which the oldest message was sent; null when it was not tried yet."""
    waits_since: datetime | None
    now: DecisionTold
    is_same: bool
    """Whether both lead the same way."""
    retry: RetryTold


def _is_number(value: int) -> int:
    if not -1 <= value < 2**63:
        raise ValueError("is no number of a message")
    return value


class BodyAsked(Request):
    """Which message of a conversation."""

    message_sequence_number: Annotated[StrictInt, AfterValidator(_is_number)]
    to_service_name: str
    """As its row in the transmission queue has it."""


class TransmissionBody(Shape):
    """The body of a message that waits, or its beginning."""

    has_body: bool
    """False: the message was sent without one."""
    whole_bytes: int
    shown_bytes: int
    limit_bytes: int
    """More than this is never shown."""
    text: str | None
    """Null where the bytes are no text."""
    encoding: Literal["utf-8", "utf-16"] | None
    """How the text was read."""
    hexadecimal: str
    """The same bytes, two digits each."""

"""The topics of the live view: what can be subscribed to, with which parameters, and how often each is told anew.

A topic with its parameters is a value: everybody in a process who subscribes to equal ones shares one follower.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

import msgspec

from engine import api as engine

ROWS_DEFAULT: Final = 200
ROWS_MAX: Final = 1_000
TABLE_SECONDS: Final = 0.25
TRACE_SECONDS: Final = 0.1
CHART_SECONDS: Final = 1.0

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
Text = Annotated[str, msgspec.Meta(max_length=1_000)]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
"""A number of an error, as the vendor's are."""
INSTANCES_MAX: Final = 10_000
CHOICES_MAX: Final = 100
Rows = Annotated[int, msgspec.Meta(ge=1, le=ROWS_MAX)]


class TopicRefused(Exception):
    """No topic is called that, or not with such parameters; `detail` says what is wrong, `code` is its number."""

    def __init__(self, code: int, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


UNKNOWN_TOPIC: Final = 4406
BAD_PARAMETERS: Final = 4422


class Topic(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="topic"):
    """Common base; the fields of a subclass are its parameters."""

    seconds: ClassVar[float] = TABLE_SECONDS
    """The shortest time between two deltas."""
    is_sampled: ClassVar[bool] = False
    """Whether it changes without events, so that it is read by the clock."""


class EstateTopic(Topic, frozen=True, tag="estate"):
    """The wanted topology's tag, open drafts, and who does not have yet what is wanted. Facts only."""


class _InstancesTopic(Topic, frozen=True):
    """A topic of instances."""

    instances: Annotated[tuple[Name, ...], msgspec.Meta(max_length=INSTANCES_MAX)] = ()
    """None are all of the estate."""


class InstancesTopic(_InstancesTopic, frozen=True, tag="instances"):
    """Each instance at a glance, a row each."""

    seconds: ClassVar[float] = CHART_SECONDS


class _RowsTopic(_InstancesTopic, frozen=True):
    """A view with rows."""

    rows: Rows = ROWS_DEFAULT
    """Rows of each instance at most."""


class ConversationsTopic(_RowsTopic, frozen=True, tag="conversations"):
    """Conversation endpoints and their sums."""

    database: Name | None = None
    states: Annotated[tuple[engine.ConversationState, ...], msgspec.Meta(max_length=CHOICES_MAX)] = ()
    closed: engine.pictures.ClosedKind | None = None
    service: Name | None = None
    far_service: Name | None = None
    conversation_handle: engine.ConversationHandle | None = None
    text: Text = ""
    order: engine.pictures.ConversationOrder = engine.pictures.ConversationOrder.NEWEST


class TransmissionsTopic(_RowsTopic, frozen=True, tag="transmissions"):
    """Messages that wait in transmission queues, and the groups of their reasons."""

    database: Name | None = None
    numbers: Annotated[tuple[Number | None, ...], msgspec.Meta(max_length=CHOICES_MAX)] = ()
    from_service: Name | None = None
    to_service: Name | None = None
    conversation_handle: engine.ConversationHandle | None = None
    text: Text = ""


class ForwardedTopic(_RowsTopic, frozen=True, tag="forwarded"):
    """Messages in transit through forwarders."""


class QueuesTopic(_RowsTopic, frozen=True, tag="queues"):
    """Queues with monitors, readers and poison."""

    database: Name | None = None


class ConnectionsTopic(_RowsTopic, frozen=True, tag="connections"):
    """Connections between instances."""


class MirrorsTopic(_RowsTopic, frozen=True, tag="mirrors"):
    """What is known of the partners of mirrored routes."""


class CountersTopic(_RowsTopic, frozen=True, tag="counters"):
    """Performance counters."""

    seconds: ClassVar[float] = CHART_SECONDS
    is_sampled: ClassVar[bool] = True
    rows: Rows = ROWS_MAX


class TraceTopic(_RowsTopic, frozen=True, tag="trace"):
    """The newest events as SQL Trace would show them, the newest last."""

    seconds: ClassVar[float] = TRACE_SECONDS
    classes: Annotated[tuple[engine.TraceClass, ...], msgspec.Meta(max_length=CHOICES_MAX)] = ()
    """None are all."""


AnyTopic = (
    EstateTopic
    | InstancesTopic
    | ConversationsTopic
    | TransmissionsTopic
    | ForwardedTopic
    | QueuesTopic
    | ConnectionsTopic
    | MirrorsTopic
    | CountersTopic
    | TraceTopic
)

TOPICS: Final[dict[str, type[Topic]]] = {
    str(kind.__struct_config__.tag): kind
    for kind in AnyTopic.__args__  # type: ignore[attr-defined]
}


def topic_of(name: str, params: dict[str, Any], *, strict: bool = True) -> AnyTopic:
    """The topic of that name with these parameters; `TopicRefused` says what is wrong with them."""
    kind = TOPICS.get(name)
    if kind is None:
        raise TopicRefused(UNKNOWN_TOPIC, f"There is no topic {name}; there are {', '.join(TOPICS)}.")
    if "topic" in params:
        raise TopicRefused(BAD_PARAMETERS, "Object contains unknown field `topic`.")
    try:
        return msgspec.convert({**params, "topic": name}, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise TopicRefused(BAD_PARAMETERS, f"{error}.") from None


def topic_of_texts(name: str, texts: dict[str, list[str]]) -> AnyTopic:
    """As `topic_of`, with every parameter a text as in an address; lists are repeated, an empty text in one is null."""
    kind = TOPICS.get(name)
    lists = set() if kind is None else {field.name for field in msgspec.structs.fields(kind) if field.default == ()}
    twice = next((each for each, values in texts.items() if each not in lists and len(values) > 1), None)
    if twice is not None:
        raise TopicRefused(BAD_PARAMETERS, f"Parameter `{twice}` is given twice.")
    params: dict[str, Any] = {
        each: [value or None for value in values] if each in lists else values[0] for each, values in texts.items()
    }
    return topic_of(name, params, strict=False)

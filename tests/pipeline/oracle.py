"""What the jobs shall say of the events of one estate, in plain Python, event by event."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.core.exchange import events as happened
from engine.core.exchange.events import BrokerEvent
from engine.core.vocabulary.subclasses import ConversationHappening
from tests.pipeline.drawn_events import EPOCH, Told

Row = dict[str, Any]
Event = tuple[str, int, BrokerEvent]
ORIGIN = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
"""EPOCH."""
SENT = (happened.MessageQueuedForTransmission, happened.MessageSentDirectly)
CONTEXT = (
    happened.ConversationStateChanged,
    happened.MessageClassified,
    happened.QueueSwitched,
    happened.QueueDisabled,
)
"""What says how things stood when a span began."""
MADE = (ConversationHappening.BEGIN_DIALOG, ConversationHappening.DIALOG_CREATED)
DISCARDED = (happened.MessageUndeliverable, happened.MessageCorrupted, happened.ForwardedMessageDropped)


def instant(at: float) -> datetime:
    return ORIGIN + timedelta(microseconds=round((at - EPOCH) * 1_000_000))


def milliseconds(later: datetime | None, earlier: datetime) -> int | None:
    return None if later is None else (later - earlier) // timedelta(milliseconds=1)


def in_time(told: Told) -> list[Event]:
    """All events in the order of their instants; those of one instance and instant in that of their numbers."""
    every = [(instance, int(number), event) for instance, events in told.items() for number, event in events]
    return sorted(every, key=lambda each: (each[2].at, each[1], each[0]))


def of(events: Iterable[Event], *kinds: type) -> Iterator[Event]:
    return (each for each in events if isinstance(each[2], kinds))


class Estate:
    """What can be read out of the events directly."""

    def __init__(
        self,
        name: str,
        told: Told,
        since: float | None = None,
        until: float | None = None,
        lost_until: Mapping[str, float] | None = None,
    ) -> None:
        self.name = name
        self.lost_until = lost_until or {}
        """Of instances that had let events go: when the event was that followed."""
        self.since = since
        self.events = [
            each
            for each in in_time(told)
            if (until is None or each[2].at < until)
            and (since is None or each[2].at >= since or isinstance(each[2], CONTEXT))
        ]
        self.side = {
            event.conversation_handle: (str(event.conversation_id), event.is_initiator)
            for _, _, event in of(self.events, happened.ConversationStateChanged)
        }
        self.sent: dict[tuple[str, bool, int], Event] = {}
        for each in of(self.events, *SENT):
            if (key := self._key(each[2], received=False)) is not None:
                self.sent.setdefault(key, each)
        self.arrivals: dict[tuple[str, bool, int], list[Event]] = defaultdict(list)
        for each in of(self.events, happened.MessageDelivered):
            if (key := self._key(each[2], received=True)) is not None:
                self.arrivals[key].append(each)

    def _key(self, event: Any, *, received: bool) -> tuple[str, bool, int] | None:
        side = self.side.get(event.conversation_handle)
        if side is None or event.message_sequence_number < 0:
            return None
        return side[0], side[1] != received, event.message_sequence_number

    def acknowledged_at(self, key: tuple[str, bool, int]) -> datetime | None:
        for _, _, event in of(self.events, happened.RemoteMessageAcknowledged):
            if self.side.get(event.conversation_handle) == key[:2] and event.up_to >= key[2]:
                return instant(event.at)
        return None

    def about(self, key: tuple[str, bool, int], *kinds: type) -> list[Event]:
        """Events of others about a message."""
        return [
            each
            for each in of(self.events, *kinds)
            if (str(each[2].conversation_id), each[2].from_initiator, each[2].message_sequence_number) == key
        ]

    def way(self, direction: tuple[str, bool]) -> tuple[str | None, str | None]:
        service = route = None
        for _, _, event in of(self.events, happened.MessageClassified):
            if event.database is not None and (str(event.conversation_id), event.from_initiator) == direction:
                service = event.to_service
                route = None if event.decision.route is None else event.decision.route.name
        return service, route

    def identity(self, key: tuple[str, bool, int]) -> Row:
        return {
            "estate": self.name,
            "conversation_id": key[0],
            "from_initiator": key[1],
            "message_sequence_number": key[2],
        }


# ── delivery ────────────────────────────────────────────────────────────────────────────────────────────────────────
def messages(estate: Estate) -> list[Row]:
    return [_life(estate, key) for key in estate.sent]


def _life(estate: Estate, key: tuple[str, bool, int]) -> Row:
    instance, _, sent = estate.sent[key]
    first = estate.arrivals[key][0] if estate.arrivals[key] else None
    forwards = Counter(each[0] for each in estate.about(key, happened.ForwardedMessageSent))
    refused = estate.about(key, *DISCARDED)
    copies = sum(isinstance(each[2], happened.MessageUndeliverable) and each[2].number == 11218 for each in refused)
    drops = [each[2] for each in refused if each[2].number != 11218]
    service, route = estate.way(key[:2])
    sent_at, delivered_at = instant(sent.at), None if first is None else instant(first[2].at)
    acknowledged_at = estate.acknowledged_at(key)
    return {
        **estate.identity(key),
        "message_kind": sent.kind.value,
        "from_instance": instance,
        "from_database": sent.database,
        "to_instance": None if first is None else first[0],
        "to_database": None if first is None else first[2].database,
        "queue": None if first is None else first[2].queue,
        "message_type_name": None if first is None else first[2].message_type_name,
        "to_service": service,
        "route": route,
        "is_direct": isinstance(sent, happened.MessageSentDirectly),
        "sent_at": sent_at,
        "delivered_at": delivered_at,
        "acknowledged_at": acknowledged_at,
        "latency_milliseconds": milliseconds(delivered_at, sent_at),
        "acknowledged_milliseconds": milliseconds(acknowledged_at, sent_at),
        "times_delivered": len(estate.arrivals[key]),
        "hops": len(forwards),
        "forwards": forwards.total(),
        "resends": max(max(forwards.values(), default=1) - 1, copies),
        "times_dropped": len(drops),
        "drop_number": drops[-1].number if drops else None,
    }


def figures(rows: list[Row], *keys: str) -> list[Row]:
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        hour = row["sent_at"].replace(minute=0, second=0, microsecond=0)
        groups[tuple({**row, "hour_at": hour}[key] for key in keys)].append(row)
    return [{**dict(zip(keys, values, strict=True)), **_figures(group)} for values, group in groups.items()]


def _figures(group: list[Row]) -> Row:
    taken = [row for row in group if row["acknowledged_at"] is not None or row["is_direct"]]
    resends = sum(row["resends"] for row in group)
    return {
        "messages": len(group),
        "delivered": sum(row["delivered_at"] is not None for row in group),
        "acknowledged": len(taken),
        "resends": resends,
        "drops": sum(row["times_dropped"] for row in group),
        "hops_max": max(row["hops"] for row in group),
        **_ranks(group, "latency_milliseconds", "latency"),
        **_ranks(group, "acknowledged_milliseconds", "acknowledged"),
        "resend_ratio": resends / len(group),
    }


def _ranks(group: list[Row], column: str, name: str) -> Row:
    values = sorted(row[column] for row in group if row[column] is not None)
    return {f"{name}_p{p}": rank(values, p) for p in (50, 95, 99)}


def rank(values: list[int], percent: int) -> int | None:
    return values[-(-len(values) * percent // 100) - 1] if values else None


def drops(estate: Estate) -> list[Row]:
    groups: dict[tuple[str, int], list[BrokerEvent]] = defaultdict(list)
    for instance, _, event in of(estate.events, *DISCARDED):
        if event.message_sequence_number is not None and event.number != 11218:
            groups[instance, event.number].append(event)
    return [
        {
            "estate": estate.name,
            "instance": instance,
            "number": number,
            "drops": len(group),
            "conversations": len({event.conversation_id for event in group}),
            "first_at": instant(group[0].at),
            "last_at": instant(group[-1].at),
        }
        for (instance, number), group in groups.items()
    ]


# ── audit ───────────────────────────────────────────────────────────────────────────────────────────────────────────
VERDICTS = ("lost", "doubled", "forked", "reordered", "unsent", "unacknowledged", "held", "over", "unseen")


def judged(estate: Estate) -> list[Row]:
    keys = {*estate.sent, *(key for key, arrivals in estate.arrivals.items() if arrivals)}
    return [_judged(estate, key) for key in sorted(keys)]


def _judged(estate: Estate, key: tuple[str, bool, int]) -> Row:
    sent, arrivals = estate.sent.get(key), estate.arrivals[key]
    sent_at = None if sent is None else instant(sent[2].at)
    delivered_at = instant(arrivals[0][2].at) if arrivals else None
    is_direct = sent is not None and isinstance(sent[2], happened.MessageSentDirectly)
    taken_at = sent_at if is_direct else None if sent is None else estate.acknowledged_at(key)
    return {
        **estate.identity(key),
        "verdicts": sorted(_verdicts(estate, key, sent_at, delivered_at, taken_at)),
        "from_instance": None if sent is None else sent[0],
        "from_database": None if sent is None else sent[2].database,
        "to_instance": arrivals[0][0] if arrivals else None,
        "to_database": arrivals[0][2].database if arrivals else None,
        "sent_at": sent_at,
        "delivered_at": delivered_at,
        "taken_at": taken_at,
        "times_delivered": len(arrivals),
    }


def _verdicts(
    estate: Estate,
    key: tuple[str, bool, int],
    sent_at: datetime | None,
    delivered_at: datetime | None,
    taken_at: datetime | None,
) -> Iterator[str]:
    conversation, from_initiator, number = key
    places = Counter(event.conversation_handle for _, _, event in estate.arrivals[key])
    if any(times > 1 for times in places.values()):
        yield "doubled"
    if len(places) > 1:
        yield "forked"
    if delivered_at is not None and any(
        other[:2] == key[:2] and other[2] > number and (a[0][2].at, a[0][1]) < _place(estate, key)
        for other, a in estate.arrivals.items()
        if a
    ):
        yield "reordered"
    if sent_at is None:
        assert delivered_at is not None
        yield _from_nowhere(estate, key, delivered_at)
    elif taken_at is None:
        if not _is_over(estate, (conversation, from_initiator)):
            yield "unacknowledged"
    elif delivered_at is None:
        yield _missing(estate, (conversation, not from_initiator), sent_at, taken_at)


def _place(estate: Estate, key: tuple[str, bool, int]) -> tuple[float, int]:
    _, number, event = estate.arrivals[key][0]
    return event.at, number


def _states(estate: Estate, end: tuple[str, bool]) -> list[Event]:
    return [
        each
        for each in of(estate.events, happened.ConversationStateChanged)
        if (str(each[2].conversation_id), each[2].is_initiator) == end
    ]


def _told_until(estate: Estate, end: tuple[str, bool]) -> datetime | None:
    states = _states(estate, end)
    if not states:
        return None
    return max(instant(event.at) for instance, _, event in estate.events if instance == states[-1][0])


def _is_over(estate: Estate, end: tuple[str, bool]) -> bool:
    last = _states(estate, end)[-1][2].state
    return last is None or last.value in ("DI", "CD", "ER")


def _made_at(estate: Estate, end: tuple[str, bool]) -> float | None:
    """Null where something was lost after it: nobody knows what."""
    states = _states(estate, end)
    made = min((event.at for _, _, event in states if event.happening in MADE), default=None)
    gone = estate.lost_until.get(states[-1][0]) if states else None
    return None if made is None or (gone is not None and made < gone) else made


def _from_nowhere(estate: Estate, key: tuple[str, bool, int], delivered_at: datetime) -> str:
    until, made_at = _told_until(estate, key[:2]), _made_at(estate, key[:2])
    if until is None or until < delivered_at:
        return "unseen"
    if made_at is not None and (estate.since is None or made_at >= estate.since):
        return "unsent"
    # Its sending may have been told before the events begin, but not if an earlier one's was told after.
    sent = sorted((other[2], event.at) for other, (_, _, event) in estate.sent.items() if other[:2] == key[:2])
    gone = estate.lost_until.get(_states(estate, key[:2])[-1][0])
    is_later = bool(sent) and sent[0][0] < key[2] and (gone is None or sent[0][1] >= gone)
    return "unsent" if is_later else "unseen"


def _missing(estate: Estate, end: tuple[str, bool], sent_at: datetime, taken_at: datetime) -> str:
    until = _told_until(estate, end)
    if until is None or until < taken_at:
        return "unseen"
    states = _states(estate, end)
    instance, _, last = states[-1]
    told_from = min(event.at for where, _, event in estate.events if where == instance)
    told_from = max(told_from, estate.lost_until.get(instance, told_from))
    if _made_at(estate, end) is None and instant(told_from) > sent_at:
        return "unseen"
    over = [event for _, _, event in states if event.state is None or event.state.value in ("DO", "CD", "ER")]
    if over and instant(over[0].at) <= taken_at:
        return "over"
    queues: dict[str, bool] = {}
    for where, _, event in of(estate.events, happened.QueueSwitched, happened.QueueDisabled):
        if (where, event.database) == (instance, last.database):
            queues[event.queue] = isinstance(event, happened.QueueSwitched) and event.is_enabled
    return "lost" if all(queues.values()) else "held"


def directions(estate: Estate) -> list[Row]:
    groups: dict[tuple[str, bool], list[Row]] = defaultdict(list)
    for row in judged(estate):
        groups[row["conversation_id"], row["from_initiator"]].append(row)
    return [
        {"estate": estate.name, "conversation_id": conversation, "from_initiator": side, **_told(rows)}
        for (conversation, side), rows in groups.items()
    ]


def _told(rows: list[Row]) -> Row:
    seen = {name: sum(row[f"{name}_at"] is not None for row in rows) for name in ("sent", "delivered", "taken")}
    said = Counter(verdict for row in rows for verdict in row["verdicts"])
    bad = ("lost", "doubled", "forked", "reordered", "unsent", "unseen")
    return {
        **seen,
        **{verdict: said[verdict] for verdict in VERDICTS},
        "is_exact": not any(said[verdict] for verdict in bad),
        "is_complete": seen["sent"] == seen["delivered"] == seen["taken"],
    }


def summary(estate: Estate) -> list[Row]:
    rows = directions(estate)
    if not rows:
        return []
    return [
        {
            "estate": estate.name,
            "conversations": len({row["conversation_id"] for row in rows}),
            **{name: sum(row[name] for row in rows) for name in ("sent", "delivered", "taken", *VERDICTS)},
            "exact_directions": sum(row["is_exact"] for row in rows),
            "complete_directions": sum(row["is_complete"] for row in rows),
            "directions": len(rows),
        }
    ]


def examples(estate: Estate, most: int) -> list[Row]:
    found = []
    for verdict in VERDICTS:
        rows = [row for row in judged(estate) if verdict in row["verdicts"]]
        found += [{**row, "verdict": verdict} for row in rows[:most]]
    return [{name: value for name, value in row.items() if name != "verdicts"} for row in found]

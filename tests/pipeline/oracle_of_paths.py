"""What the job `paths` shall say of the events of one estate, in plain Python."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from engine.core.exchange import events as happened
from tests.pipeline.oracle import Estate, Row, messages, of, rank

SHADOWS = ("later-step", "counts-as-one", "address-kind-later", "other-broker-instance-picked")


def ways_of_messages(estate: Estate) -> list[Row]:
    found = []
    for row in messages(estate):
        key = (row["conversation_id"], row["from_initiator"], row["message_sequence_number"])
        most: dict[str, int] = {}
        for instance, _, event in estate.about(key, happened.ForwardedMessageSent):
            most[instance] = max(most.get(instance, 0), event.hops_remaining)
        between = [instance for _, instance in sorted((-hops, instance) for instance, hops in most.items())]
        whole = [row["from_instance"]]
        if not row["is_direct"]:
            whole += [*between, row["to_instance"] or "?"]
        kept = ("to_service", "is_direct", "hops", "forwards", "latency_milliseconds")
        found.append({**estate.identity(key), **{name: row[name] for name in kept}, "instances": whole})
    return found


def ways(estate: Estate) -> list[Row]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in ways_of_messages(estate):
        groups[" > ".join(row["instances"])].append(row)
    return [
        {
            "estate": estate.name,
            "way": way,
            "messages": len(rows),
            "conversations": len({row["conversation_id"] for row in rows}),
            "forwards": sum(row["forwards"] for row in rows),
            "hops": max(row["hops"] for row in rows),
            "latency_p50": rank(
                sorted(r["latency_milliseconds"] for r in rows if r["latency_milliseconds"] is not None), 50
            ),
        }
        for way, rows in groups.items()
    ]


def loops(estate: Estate) -> list[Row]:
    last: dict[tuple[Any, ...], int] = {}
    groups: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for instance, _, event in of(estate.events, happened.ForwardedMessageSent):
        if event.message_sequence_number is None:
            continue
        key = (instance, event.conversation_id, event.from_initiator, event.message_sequence_number)
        lost = last.get(key, 0) - event.hops_remaining
        if lost > 0:
            groups[instance, event.to_service].append((str(event.conversation_id), lost))
        last[key] = event.hops_remaining
    return [
        {
            "estate": estate.name,
            "instance": instance,
            "to_service": service,
            "times": len(found),
            "conversations": len({conversation for conversation, _ in found}),
            "example": min(conversation for conversation, _ in found),
            "hops_lost": max(lost for _, lost in found),
        }
        for (instance, service), found in groups.items()
    ]


def links(estate: Estate) -> list[Row]:
    counted: dict[tuple[str, str], int] = defaultdict(int)
    for instance, _, event in of(estate.events, happened.ForwardedMessageSent):
        counted[instance, str(event.address)] += 1
    last = {}
    for _, _, event in of(estate.events, happened.MessageClassified):
        if event.database is not None and event.decision.address is not None:
            last[str(event.conversation_id), event.from_initiator] = str(event.decision.address)
    for row in messages(estate):
        address = last.get((row["conversation_id"], row["from_initiator"]))
        if not row["is_direct"] and address is not None:
            counted[row["from_instance"], address] += 1
    total = sum(counted.values())
    return [
        {"estate": estate.name, "instance": instance, "address": address, "messages": count, "share": count / total}
        for (instance, address), count in counted.items()
    ]


def routes(estate: Estate) -> list[Row]:
    won: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    lost: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for instance, _, event in of(estate.events, happened.MessageClassified):
        if event.database is None or (estate.since is not None and event.at < estate.since):
            continue
        if event.decision.route is not None:
            won[instance, event.database, event.decision.route.name].append(str(event.conversation_id))
        for loss in event.decision.losses:
            lost[instance, event.database, loss.route].append(loss.reason.value)
    return [
        {
            "estate": estate.name,
            "instance": key[0],
            "database": key[1],
            "route": key[2],
            "won": len(won[key]),
            "lost": len(lost[key]),
            "shadowed": sum(reason in SHADOWS for reason in lost[key]),
            "conversations": len(set(won[key])),
            "is_unused": not won[key],
            "is_shadowed": not won[key] and any(reason in SHADOWS for reason in lost[key]),
        }
        for key in {*won, *lost}
    ]


def copies(estate: Estate) -> list[Row]:
    service, target = {}, {}
    for _, _, event in of(estate.events, happened.MessageClassified):
        if event.database is not None and event.from_initiator:
            service[event.conversation_id] = event.to_service
    for instance, _, event in of(estate.events, happened.ConversationStateChanged):
        if not event.is_initiator:
            target.setdefault(event.conversation_id, (instance, event.database))
    counted: dict[str, dict[tuple[str, str], int]] = defaultdict(lambda: defaultdict(int))
    spoken = {row["conversation_id"] for row in messages(estate)}
    for conversation, place in target.items():
        if conversation in service and (estate.since is None or str(conversation) in spoken):
            counted[service[conversation]][place] += 1
    return [
        {
            "estate": estate.name,
            "to_service": name,
            "instance": place[0],
            "database": place[1],
            "conversations": count,
            "copies": len(places),
            "imbalance": count / (sum(places.values()) / len(places)),
        }
        for name, places in counted.items()
        for place, count in places.items()
    ]

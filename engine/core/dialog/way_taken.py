"""By which decision a message was sent that has to wait: it stands in the row of its conversation, for who asks why.

It outlives a restart, and later decisions, until nothing is in the way any more or another message is the oldest.
"""

from __future__ import annotations

from typing import Final

import msgspec

from engine.core.dialog.endpoint import NOTHING_IN_THE_WAY, DialogEndpoint
from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.moment import UtcTime


class WayTaken(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The decision that was in force when a message first had to wait for a reason."""

    number: int
    """The oldest message then."""
    at: UtcTime
    decision: ClassifierDecision
    """With the first candidates, and without the routes that lost: the decision now lists them."""


def follow(endpoint: DialogEndpoint, now: UtcTime) -> bool:
    """The status of an endpoint is another; answers whether its row is, too."""
    kept = _of_oldest(endpoint)
    if endpoint.status is NOTHING_IN_THE_WAY or not endpoint.sender:
        kept = None
    elif kept is None and endpoint.announced is not None:
        kept = _encoder.encode(WayTaken(endpoint.sender.first, now, _short(endpoint.announced)))
    if kept == endpoint.row.sent_by:
        return False
    endpoint.revise(sent_by=kept)
    return True


def _of_oldest(endpoint: DialogEndpoint) -> bytes | None:
    way = way_of_oldest(endpoint)
    return None if way is None else endpoint.row.sent_by


def way_of_oldest(endpoint: DialogEndpoint) -> WayTaken | None:
    """By which decision the message that waits longest was sent; None where it has not had to wait for a reason."""
    stored = endpoint.row.sent_by
    way = None if stored is None or not endpoint.sender else _decoder.decode(stored)
    return None if way is None or way.number != endpoint.sender.first else way


def _short(decision: ClassifierDecision) -> ClassifierDecision:
    via = None if decision.via is None else _short(decision.via)
    return msgspec.structs.replace(decision, losses=(), others=0, alternatives=(), via=via)


_encoder: Final = msgspec.msgpack.Encoder(uuid_format="bytes")
_decoder: Final = msgspec.msgpack.Decoder(WayTaken)

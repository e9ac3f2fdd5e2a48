"""`fingerprint`: whether two answers say the same, in twelve characters, so that a link can carry it.

It covers what happens to the message and why: ways, hops, routes, numbers. It leaves out when and by which version the
answer was given, and all words, which differ by language.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

import msgspec

from engine.whatif.telling import FlowQuestion, ToldAnswer, ToldNumber

LENGTH: Final = 12
"""Hexadecimal digits; two different answers to one question share them once in 2^48 times."""
_SHARE_DIGITS: Final = 6
"""Shares are sums of fractions, and the last digits depend on the order in which they were added."""
_NOT_THE_ANSWER: Final = frozenset({"at", "engine_version"})
_WORDS: Final = frozenset({"proof", "security", "sentence"})
_encoder: Final = msgspec.json.Encoder(order="deterministic")


def fingerprint(answer: ToldAnswer) -> str:
    """The same text for answers that say the same, whenever and in whatever language they were told."""
    return sha256(_encoder.encode(_essence(answer))).hexdigest()[:LENGTH]


def _essence(value: object) -> Any:
    match value:
        case ToldNumber():
            return value.number
        case msgspec.Struct():
            left_out = _WORDS | (_NOT_THE_ANSWER if isinstance(value, ToldAnswer) else frozenset())
            if isinstance(value, FlowQuestion) and not value.encryption:
                # As answers were told apart before questions named it.
                left_out |= {"encryption"}
            names = [name for name in value.__struct_fields__ if name not in left_out]
            return {name: _essence(getattr(value, name)) for name in names}
        case tuple():
            return [_essence(each) for each in value]
        case bool():
            return value
        case int() | float():
            # A share of nothing is a whole number or not, as it was added up.
            return round(float(value), _SHARE_DIGITS)
        case _:
            return value

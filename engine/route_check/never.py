"""Why a route can never win, whatever is asked of its table: a code with what it speaks of, and its sentence."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.core.routing.precedence import ChooseStep
from engine.core.vocabulary.identifiers import RouteName
from engine.whatif.words import ENGLISH, rule_in, said


class NeverReason(StrEnum):
    """What keeps a route from ever being chosen."""

    EXPIRED = "expired"
    COUNTS_AS_ONE = "counts-as-one"
    """It has the service, broker id and address of `other`, and of such routes the engine takes one for good."""
    OUTRANKED = "outranked"
    """Wherever it is a candidate, `other` is taken before it, in choose step `step`."""


class NeverWins(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One reason."""

    reason: NeverReason
    other: RouteName | None = None
    step: int | None = None


def never_text(never: NeverWins, language: str = ENGLISH) -> str:
    """The reason as a clause about the route: "it has expired"."""
    condition = "" if never.step is None else rule_in(language, ChooseStep(never.step)).condition
    return said(language, "never", never.reason.value, other=never.other, step=never.step, condition=condition)

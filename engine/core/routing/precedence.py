"""The rules of routing as data: the match steps, the choose steps, and what each of them asks (routing.md 3).

The classifier goes by the numbers, the documentation and every proof a person reads go by the words. There is no
second list anywhere.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import msgspec

from engine.core.vocabulary.enumerations import plain_members


@plain_members
class MatchStep(IntEnum):
    """The step that ended MATCH; the numbers are the vendor's, 0 is the rule that comes before them."""

    REPLY_FROM_TARGET = 0
    NAME_AND_ID = 1
    NAME_ONLY = 2
    ANY_ID = 3
    BROKER_CONFIGURATION = 4
    LAST_RESORT = 5
    IMPLICIT_LOCAL = 6
    NOTHING = 7


@plain_members
class ChooseStep(IntEnum):
    """The step of CHOOSE that took the route: the kinds of address in their order."""

    MIRRORED = 1
    LOCAL = 2
    NETWORK = 3
    TRANSPORT = 4


class StepRule(msgspec.Struct, frozen=True):
    """What a step asks and what follows when the answer is yes."""

    condition: str
    effect: str


MATCH_RULES: Final[dict[MatchStep, StepRule]] = {
    MatchStep.REPLY_FROM_TARGET: StepRule(
        "came over the network from the target of its conversation, to a broker id of this instance",
        "deliver to the database with that id; no route is needed",
    ),
    MatchStep.NAME_AND_ID: StepRule(
        "the conversation has a broker id, and routes name the service and that id",
        "those routes are the candidates",
    ),
    MatchStep.NAME_ONLY: StepRule("routes name the service and no id", "those routes are the candidates"),
    MatchStep.ANY_ID: StepRule(
        "the conversation has no broker id, and routes name the service and some id",
        "one id is picked in turn; the routes with it are the candidates",
    ),
    MatchStep.BROKER_CONFIGURATION: StepRule(
        "a route leads to the configuration service, and it was not yet asked for this service",
        "delayed (9770); the configuration service is asked for a route",
    ),
    MatchStep.LAST_RESORT: StepRule("routes name neither service nor id", "those routes are the candidates"),
    MatchStep.IMPLICIT_LOCAL: StepRule(
        "the conversation has a broker id, and a database of this instance has a service of the name",
        "as if a LOCAL route for the service existed",
    ),
    MatchStep.NOTHING: StepRule("otherwise", "delayed (9750); what came over the network is dropped (9793)"),
}

CHOOSE_RULES: Final[dict[ChooseStep, StepRule]] = {
    ChooseStep.MIRRORED: StepRule("candidates have a mirror address", "one of them, in turn"),
    ChooseStep.LOCAL: StepRule("candidates are LOCAL, and this instance has the service", "one of them, in turn"),
    ChooseStep.NETWORK: StepRule("candidates have a network address", "one of them, in turn"),
    ChooseStep.TRANSPORT: StepRule("candidates are TRANSPORT", "the address the service name begins with"),
}

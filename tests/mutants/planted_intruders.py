"""Mutants of the world in which others connect and lie: whom an instance lets in, and whom it believes."""

from __future__ import annotations

from typing import Any

from engine.core.handlers import inbound, prediction, speakers
from engine.core.link.handshake import Handshake
from engine.sim.network import Network
from tests.mutants.planted import CONSERVATION, CONVERGENCE, EXACTLY_ONCE, PINNING
from tests.mutants.planting import Patch
from tests.mutants.stages import does_nothing, in_world, mutant

INTRUDERS = "intruders"
LIES = (EXACTLY_ONCE, CONSERVATION, CONVERGENCE, PINNING)
"""What comes of a lie that is believed."""
STAGE = in_world("intruders", impostor=60, crash=2)
OUTSIDERS = in_world("intruders", **{"outsider": 60, "endpoint-stop": 20, "link-break": 20})


def _always(_: Any) -> Any:
    return lambda *arguments: True


def _from_outside(before: Any) -> Any:
    def may(broker: Any, message: Any) -> Any:
        return not broker.speaker.neighbour.is_vouched or before(broker, message)

    return may


def _by_any_word(before: Any) -> Any:
    """A proof is asked for, and not looked at."""

    def verified(self: Handshake, proof: Any, now: Any) -> Any:
        return None if proof.signature is not None else before(self, proof, now)

    return verified


def _also(entitles: Any) -> Any:
    def make(before: Any) -> Any:
        return lambda broker, endpoint, message, neighbour: (
            entitles(endpoint, neighbour) or before(broker, endpoint, message, neighbour)
        )

    return make


MUTANTS_OF_INTRUDERS = (
    mutant(
        "whoever is let in is believed",
        Patch(inbound, "may_speak", _always),
        Patch(prediction, "may_speak", _always),
        by=LIES,
        stage=STAGE,
    ),
    mutant(
        "the word of a host is not looked at",
        Patch(Handshake, "_verified", _by_any_word),
        by=(INTRUDERS,),
        stage=in_world("intruders", stranger=30),
    ),
    mutant(
        "a forwarder speaks to initiators, too",
        Patch(speakers, "_is_entitled", _also(lambda endpoint, neighbour: neighbour.forwards)),
        by=LIES,
        stage=STAGE,
    ),
    mutant(
        "an instance speaks for every database",
        Patch(speakers, "_is_entitled", _also(lambda endpoint, neighbour: bool(neighbour.brokers))),
        by=LIES,
        stage=STAGE,
    ),
    mutant(
        "an address leads to whoever calls",
        Patch(Network, "name_of", lambda before: lambda self, address, caller: "MALLORY"),
        by=LIES,
        stage=STAGE,
    ),
    mutant(
        "whoever comes may speak where nothing was begun",
        Patch(inbound, "may_begin", _always),
        by=LIES,
        stage=STAGE,
    ),
    mutant(
        "a forwarder passes on whatever comes",
        Patch(inbound, "may_pass", _always),
        by=LIES,
        stage=STAGE,
    ),
    mutant(
        "a forwarder passes on whatever an outsider says",
        Patch(inbound, "may_pass", _from_outside),
        by=LIES,
        stage=OUTSIDERS,
    ),
    mutant(
        "an outsider begins dialogs in the name of the estate",
        Patch(speakers, "_is_of_outside", _always),
        by=LIES,
        stage=OUTSIDERS,
    ),
    mutant(
        "whom an instance does not believe it does not tell of",
        Patch(inbound, "discard", does_nothing),
        by=(INTRUDERS,),
        stage=STAGE,
    ),
)

"""What a process remembers of states that were asked about: their flows, what can fail in them, and a few evaluations.

Pages of the fault lab ask about one state again and again. Catalogs are never changed, and who reads them keeps
them (`live_catalogs`, `draft_catalogs`), so a state is the same as long as all its catalogs are the same objects and no
route of theirs has expired; whatever else is asked about is another state, and nothing that is remembered can be stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from threading import Lock, RLock
from typing import Final, TypeVar

from engine import api as engine

Catalogs = Mapping[str, engine.InstanceCatalog]
Fault = engine.what_if.Fault
FlowQuestion = engine.what_if.FlowQuestion
Key = TypeVar("Key")
Kept = TypeVar("Kept")

STATES_MAX: Final = 3
"""The flows of 1,000 databases and what can fail there take some 15 MB."""
EVALUATIONS_MAX: Final = 4
"""Of a state; each of at most `CELLS_MAX` flows, which take some 50 MB, and mostly of a page."""


class KeptState:
    """One state between two expiries of its routes."""

    def __init__(self, catalogs: Catalogs, at: float) -> None:
        self.catalogs = dict(catalogs)
        ends = _expiries(catalogs.values())
        self._from = max((end for end in ends if end <= at), default=float("-inf"))
        self._until = min((end for end in ends if end > at), default=float("inf"))
        self._at = engine.UtcTime(at)
        self._evaluations: dict[object, engine.what_if.Evaluation] = {}
        self.evaluating = RLock()
        """An evaluation is for one reader at a time."""

    def is_of(self, catalogs: Catalogs, at: float) -> bool:
        """Whether it is the state of these very catalogs at that instant."""
        return (
            self._from <= at < self._until
            and self.catalogs.keys() == catalogs.keys()
            and all(catalogs[name] is catalog for name, catalog in self.catalogs.items())
        )

    @cached_property
    def flows(self) -> tuple[FlowQuestion, ...]:
        """Every flow that is possible."""
        return tuple(engine.what_if.possible_flows(self.catalogs))

    @cached_property
    def failures(self) -> tuple[Fault, ...]:
        """Everything that can fail by itself."""
        return engine.what_if.single_failures(self.catalogs, at=self._at)

    @cached_property
    def examples(self) -> tuple[engine.what_if.Example, ...]:
        """Questions that are worth asking."""
        return engine.what_if.examples(self.catalogs, at=self._at)

    def evaluation(
        self, which: object, flows: Iterable[FlowQuestion], supposed: tuple[Fault, ...]
    ) -> engine.what_if.Evaluation:
        """The verdicts of some flows, which `which` names, with faults supposed; to be used within `evaluating`."""
        return remembered(
            self._evaluations,
            (which, supposed),
            lambda: engine.what_if.Evaluation(self.catalogs, flows, at=self._at, faults=supposed),
            EVALUATIONS_MAX,
        )


_states: list[KeptState] = []
"""Those asked about last are at the end."""
_choosing = Lock()


def kept_state(catalogs: Catalogs, at: float) -> KeptState:
    """The state of these catalogs at an instant, with what is remembered of it."""
    with _choosing:
        found = next((each for each in _states if each.is_of(catalogs, at)), None)
        if found is None:
            found = KeptState(catalogs, at)
        else:
            _states.remove(found)
        _states.append(found)
        del _states[:-STATES_MAX]
    return found


def remembered(memory: dict[Key, Kept], key: Key, make: Callable[[], Kept], most: int) -> Kept:
    """What is remembered under a key, made when it is not; of what was asked for longest ago it lets go."""
    found = memory.pop(key, None)
    if found is None:
        found = make()
    memory[key] = found
    while len(memory) > most:
        memory.pop(next(iter(memory)))
    return found


def _expiries(catalogs: Iterable[engine.InstanceCatalog]) -> set[float]:
    return {
        route.expires_at
        for catalog in catalogs
        for database in catalog.databases.values()
        for route in database.routes.values()
        if route.expires_at is not None
    }

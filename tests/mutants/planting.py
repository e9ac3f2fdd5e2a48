"""Faults planted into the engine of this very process, and taken out again. The product's files stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from engine.sim.scenario import Scenario

Owner = Any
"""A class or a module."""


@dataclass(frozen=True)
class Patch:
    """One attribute that is made anew from what it was."""

    owner: Owner
    name: str
    make: Callable[[Any], Any]

    @contextmanager
    def planted(self) -> Iterator[None]:
        """While it lasts the attribute is the other one. `KeyError` when the owner has none of that name."""
        before = self.owner.__dict__[self.name]
        setattr(self.owner, self.name, self.make(before))
        try:
            yield
        finally:
            setattr(self.owner, self.name, before)


@dataclass(frozen=True)
class Mutant:
    """An error that somebody might make in the engine."""

    name: str
    patches: tuple[Patch, ...]
    caught_by: frozenset[str] = field(default_factory=frozenset)
    """Checkers of which at least one must find it: each mutant has a purpose."""
    stage: Callable[[Scenario], Scenario] = lambda scenario: scenario
    """Where it has its chance: some errors need a rare coincidence, which a scenario of their own makes common."""

    @contextmanager
    def planted(self) -> Iterator[None]:
        """While it lasts the engine has the error."""
        with ExitStack() as stack:
            for patch in self.patches:
                stack.enter_context(patch.planted())
            yield

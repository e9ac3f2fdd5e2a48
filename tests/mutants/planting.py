"""Faults planted into the engine of this very process, and taken out again. The product's files stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

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
        """While it lasts the attribute is the other one. `AttributeError` when the engine has none of that name."""
        before = self.owner.__dict__[self.name] if self.name in self.owner.__dict__ else getattr(self.owner, self.name)
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

    @contextmanager
    def planted(self) -> Iterator[None]:
        """While it lasts the engine has the error."""
        with ExitStack() as stack:
            for patch in self.patches:
                stack.enter_context(patch.planted())
            yield

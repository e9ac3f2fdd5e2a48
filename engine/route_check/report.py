"""What a check of routing tables found, as plain values."""

from __future__ import annotations

import msgspec

from engine.route_check.tree import Fault


class AlternativeResult(msgspec.Struct, frozen=True, kw_only=True):
    """One of several ends between which the router draws. The weights of all together are 1."""

    weight: float
    outcome: str
    chosen: str | None
    address: str | None
    match_step: int | None
    """As in the case's own."""
    passed: bool
    """Whether this end was expected or acceptable."""


class CaseResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One case. Where the router draws, the values are those of the first end, whatever was expected."""

    id: str
    passed: bool
    outcome: str
    chosen: str | None
    address: str | None
    match_step: int | None
    """None when no routing table was read: nothing could leave the database, or `msdb` let nothing in."""
    candidates: tuple[str, ...]
    proof: tuple[str, ...]
    """The decision in sentences; after a failure, what was expected and found, and then how it was found."""
    file: str
    line: int
    alternatives: tuple[AlternativeResult, ...] = ()
    """Only where the router draws."""
    notes: tuple[str, ...] = ()
    """What is right and yet worth a look."""


class RouteResult(msgspec.Struct, frozen=True, kw_only=True):
    """One route of one table, and what the cases have asked of it. Equal routes of several cases are one."""

    table: str
    """`database` or `msdb`."""
    name: str
    file: str
    line: int
    """Where it stands first."""
    cases: int
    """In how many cases it was a candidate; 0 is "never exercised"."""
    can_win: bool
    """Whether any conversation at all can be given this route, in any of the tables in which it stands."""
    reason: str | None
    """Why it cannot win."""


class RouteCheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """The whole check. With faults nothing was run."""

    cases: tuple[CaseResult, ...] = ()
    routes: tuple[RouteResult, ...] = ()
    faults: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()

    @property
    def failures(self) -> int:
        """How many cases failed."""
        return sum(not case.passed for case in self.cases)

"""Answers to questions whose answers are tables."""

from __future__ import annotations

from collections.abc import Callable

from brokerweb.common.languages import asked_language
from brokerweb.whatif.selectors.applied import applied_catalogs
from brokerweb.whatif.selectors.basis import Basis
from engine import api as engine


def estate_state(basis: Basis, watch: Callable[[], None] | None = None) -> engine.questions.EstateState:
    """A basis as questions take it."""
    label = f"revision {basis.revision}"
    if basis.change_set is not None:
        label = f"change set {basis.change_set.number} on {label}"
    return engine.questions.EstateState(
        label=label,
        catalogs={engine.InstanceName(name): catalog for name, catalog in basis.catalogs.items()},
        at=basis.instant,
        faults=basis.faults,
        applied=applied_catalogs(basis.estate),
        language=asked_language(),
        watch=watch,
    )

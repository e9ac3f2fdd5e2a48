"""Putting what a server has into a catalog object by object, so that each refusal stands beside its object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set

import msgspec

from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.revision import apply_change
from engine.core.vocabulary.errors import BrokerError, CatalogError
from engine.core.vocabulary.identifiers import DatabaseName
from engine.revisions import ObjectKey, ObjectKind, object_key
from engine.tsql.plan import Effect
from engine.tsql.statements import Notice, Problem


class Taken(msgspec.Struct, frozen=True, gc=False):
    """One object of the document. `number` counts the objects from 1, in the document's order."""

    number: int
    kind: str
    name: str
    database: DatabaseName | None
    key: ObjectKey | None
    """Where it is in the catalog; None when it is not there."""
    effect: Effect | None = None
    """Why it is not; None when it is."""
    text: str = ""


class Taking:
    """One document being taken over: the catalog so far, and what was said about each object."""

    def __init__(self, file: str, catalog: InstanceCatalog, left_out: Set[int]) -> None:
        self.file = file
        self.catalog = catalog
        self._left_out = left_out
        self._number = 0
        self.taken: list[Taken] = []
        self.problems: list[Problem] = []
        self.notices: list[Notice] = []

    def take(
        self,
        kind: ObjectKind,
        name: str,
        database: DatabaseName | None,
        changes: Callable[[], Iterable[CatalogChange]],
    ) -> bool:
        """Count an object and put it into the catalog by `changes`; answers whether it is there now."""
        self._number += 1
        word = kind.value.replace("-", " ")
        if self._number in self._left_out:
            self.taken.append(Taken(self._number, word, name, database, None, Effect.IGNORED, "Left out."))
            return False
        try:
            for change in changes():
                apply_change(self.catalog, change)
        except CatalogError as error:
            self.problem(error)
            self.taken.append(Taken(self._number, word, name, database, None, Effect.ERROR, str(error)))
            return False
        self.taken.append(Taken(self._number, word, name, database, object_key(database, kind, name)))
        return True

    def go_on(self, changes: Iterable[CatalogChange]) -> None:
        """More about the object that was counted last."""
        try:
            for change in changes:
                apply_change(self.catalog, change)
        except CatalogError as error:
            self.problem(error)

    def ignore(self, kind: str, name: str, database: DatabaseName | None, text: str) -> None:
        """Count an object that is not taken, and say why."""
        self._number += 1
        self.taken.append(Taken(self._number, kind, name, database, None, Effect.IGNORED, text))

    def problem(self, error: BrokerError) -> None:
        """A numbered error at the object that was counted last."""
        self.problems.append(
            Problem(
                file=self.file,
                line=max(1, self._number),
                column=1,
                number=error.number,
                text=error.text,
                why=error.why,
                cure=error.cure,
                parameters=error.parameters,
            )
        )

    def notice(self, text: str) -> None:
        """A sentence about the object that was counted last."""
        self.notices.append(Notice(self.file, max(1, self._number), text))

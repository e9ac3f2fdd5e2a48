"""The proposed fixes of several findings carried out together, each on top of those before it.

A fix is made for the catalogs in which its finding was found. Where two of them are about the same object the second
waits, until a new diagnosis says what is still wrong there and how that is mended now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.revision import apply_changes
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.diagnosis.comparison import Difference, compare
from engine.diagnosis.diagnose import diagnose
from engine.diagnosis.finding import Diagnosis, Finding, InstanceFix
from engine.diagnosis.saying import named

Catalogs = Mapping[str, InstanceCatalog]


class Mending(msgspec.Struct, frozen=True, kw_only=True):
    """What fixes make of an estate, and what a diagnosis says of it then."""

    before: Catalogs
    after: Catalogs
    changes: tuple[InstanceFix, ...]
    """All of them, instance by instance, in order."""
    mended: tuple[Finding, ...]
    """The chosen findings that are gone."""
    left: tuple[Finding, ...]
    """The chosen findings that are still there: nothing is proposed, or what was proposed did not go together."""
    difference: Difference
    """Of the whole estate. What is new was hidden by what was mended, or comes of it."""


def mend(catalogs: Catalogs, known: Diagnosis, chosen: Collection[str], now: UtcTime) -> Mending:
    """Carry out the fixes of the findings whose keys are chosen; `known` is the diagnosis of these catalogs."""
    round_of = _Round(catalogs)
    current, waiting = known, set(chosen)
    while True:
        done = round_of.carry_out(each for each in current.findings if each.key in waiting)
        if not done:
            break
        waiting -= done
        current = diagnose(round_of.catalogs, now)
    difference = compare(known, current)
    return Mending(
        before=catalogs,
        after=round_of.catalogs,
        changes=tuple(
            InstanceFix(instance=instance, changes=tuple(changes)) for instance, changes in round_of.changes.items()
        ),
        mended=tuple(each for each in difference.gone if each.key in chosen),
        left=tuple(each for each in difference.still if each.key in chosen),
        difference=difference,
    )


class _Round:
    """The catalogs as far as they are mended, and everything that was done to them."""

    def __init__(self, catalogs: Catalogs) -> None:
        self.catalogs = dict(catalogs)
        self.changes: dict[InstanceName, list[CatalogChange]] = {}

    def carry_out(self, findings: Iterable[Finding]) -> set[str]:
        """The fixes that are about different objects; answers the keys of the findings that had their turn."""
        made: dict[tuple[object, ...], CatalogChange] = {}
        done = set()
        for finding in findings:
            wanted = [
                (part.instance, change)
                for part in finding.fix
                for change in part.changes
                if made.get(_object_of(part.instance, change)) != change
            ]
            if not finding.fix or any(_object_of(*each) in made for each in wanted):
                continue
            if self._is_taken(wanted):
                made |= {_object_of(*each): each[1] for each in wanted}
                done.add(finding.key)
        return done

    def _is_taken(self, wanted: Iterable[tuple[InstanceName, CatalogChange]]) -> bool:
        """Carry out all of it, or nothing where the catalog refuses a part."""
        by_instance: dict[InstanceName, list[CatalogChange]] = {}
        for instance, change in wanted:
            by_instance.setdefault(instance, []).append(change)
        try:
            after: dict[str, InstanceCatalog] = {
                name: apply_changes(self.catalogs[name], changes) for name, changes in by_instance.items()
            }
        except BrokerError:
            return False
        self.catalogs |= after
        for name, changes in by_instance.items():
            self.changes.setdefault(name, []).extend(changes)
        return True


def _object_of(instance: InstanceName, change: CatalogChange) -> tuple[object, ...]:
    """What a change is about; two about the same may be at odds."""
    kind = str(change.__struct_config__.tag).rpartition("-")[0]
    name = named(change)
    return instance, getattr(change, "database", None), kind, None if name is None else name.casefold()

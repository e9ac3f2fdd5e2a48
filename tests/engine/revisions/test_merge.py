"""The laws of merging: what one side alone has changed is kept, what both have changed is never lost silently."""

import pytest
from hypothesis import assume, given

from engine.api import revisions
from engine.core.catalog.changes import CatalogChange, DatabaseDropped, RouteCreated, RouteDropped
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.revision import apply_changes
from engine.core.catalog.route import LocalAddress, Route, TransportAddress
from engine.core.vocabulary.identifiers import MSDB
from tests.support.catalogs import VENTES, catalogs, ventes
from tests.support.thoroughness import examples

Kind = revisions.ObjectKind


def same(one: InstanceCatalog, other: InstanceCatalog) -> bool:
    return revisions.changed_objects(one, other) == []


def made(*changes: CatalogChange) -> InstanceCatalog:
    return apply_changes(ventes(), changes)


def route(name: str, address: object = LocalAddress()) -> RouteCreated:
    return RouteCreated(database=VENTES, route=Route(name=name, address=address))


@examples(100)
@given(catalogs, catalogs)
def test_without_a_foreign_change_it_is_mine(base: InstanceCatalog, mine: InstanceCatalog) -> None:
    merged = revisions.merge(base, revisions.edits_between(base, mine))
    assert same(merged.catalog, mine)
    assert merged.conflicts == ()


@given(catalogs, catalogs)
def test_without_a_change_of_mine_it_is_theirs(base: InstanceCatalog, theirs: InstanceCatalog) -> None:
    merged = revisions.merge(theirs, revisions.edits_between(base, base))
    assert (merged.catalog, merged.objects) == (theirs, ())


@given(catalogs, catalogs)
def test_when_both_have_made_the_same_of_it_there_is_nothing_to_decide(
    base: InstanceCatalog, both: InstanceCatalog
) -> None:
    merged = revisions.merge(both, revisions.edits_between(base, both))
    assert (merged.catalog, merged.objects) == (both, ())


@examples(120)
@given(catalogs, catalogs, catalogs)
def test_nothing_that_either_side_has_changed_alone_is_lost(
    base: InstanceCatalog, theirs: InstanceCatalog, mine: InstanceCatalog
) -> None:
    merged = revisions.merge(theirs, revisions.edits_between(base, mine))
    in_conflict = {each.key for each in merged.conflicts}
    of_base, of_theirs, of_mine, of_merged = map(revisions.objects_of, (base, theirs, mine, merged.catalog))
    for key in of_base.keys() | of_theirs.keys() | of_mine.keys():
        was, is_theirs, is_mine = of_base.get(key), of_theirs.get(key), of_mine.get(key)
        if key in in_conflict:
            continue
        wanted = is_theirs if revisions.same_object(was, is_mine) else is_mine
        assert revisions.same_object(of_merged.get(key), wanted), key
        both_changed = not revisions.same_object(was, is_mine) and not revisions.same_object(was, is_theirs)
        assert not both_changed or revisions.same_object(is_mine, is_theirs)


@examples(120)
@given(catalogs, catalogs, catalogs)
def test_every_conflict_is_one(base: InstanceCatalog, theirs: InstanceCatalog, mine: InstanceCatalog) -> None:
    """Both sides have changed the object, or one of them its home."""
    mine_of, theirs_of = (revisions.edits_between(base, each) for each in (mine, theirs))
    for each in revisions.merge(theirs, mine_of).conflicts:
        home = revisions.ObjectKey(each.key.database, Kind.DATABASE, "")
        assert {each.key, home} & mine_of.keys()
        assert {each.key, home} & theirs_of.keys()
        assert not revisions.same_object(each.mine, each.theirs)


@examples(120)
@given(catalogs, catalogs, catalogs)
def test_drafts_that_touch_different_objects_can_be_applied_in_either_order(
    base: InstanceCatalog, one: InstanceCatalog, other: InstanceCatalog
) -> None:
    first, second = revisions.edits_between(base, one), revisions.edits_between(base, other)
    second = {key: edit for key, edit in second.items() if key not in first}
    orders = []
    for earlier, later in ((first, second), (second, first)):
        begun = revisions.merge(base, earlier)
        done = revisions.merge(begun.catalog, later)
        assume(not begun.conflicts and not done.conflicts)
        orders.append(done.catalog)
    assert same(*orders)


def test_two_changes_of_one_object_are_a_conflict_and_the_drafts_is_shown() -> None:
    base = made(route("R"))
    mine = made(route("R", TransportAddress()))
    theirs = apply_changes(base, [RouteDropped(database=VENTES, name="r")])
    merged = revisions.merge(theirs, revisions.edits_between(base, mine))
    (conflict,) = merged.conflicts
    assert conflict.theirs is None
    assert merged.catalog.databases[VENTES].routes["R"].address == TransportAddress()


def test_what_comes_into_a_database_that_the_draft_removes_is_a_conflict() -> None:
    mine = made(DatabaseDropped(database=VENTES))
    merged = revisions.merge(made(route("R")), revisions.edits_between(ventes(), mine))
    (conflict,) = merged.conflicts
    assert (conflict.key.kind, conflict.theirs.name, conflict.mine) == (Kind.ROUTE, "R", None)
    assert VENTES not in merged.catalog.databases


def test_what_the_draft_puts_into_a_database_that_is_gone_is_a_conflict_without_a_home() -> None:
    theirs = made(DatabaseDropped(database=VENTES))
    merged = revisions.merge(theirs, revisions.edits_between(ventes(), made(route("R"))))
    (conflict,) = merged.conflicts
    assert conflict.is_homeless
    assert merged.catalog == theirs


@pytest.mark.parametrize("spelling", ["ventes", "VENTES"])
def test_a_database_is_one_however_it_is_spelled(spelling: str) -> None:
    mine = made(DatabaseDropped(database=spelling))
    merged = revisions.merge(ventes(), revisions.edits_between(ventes(), mine))
    assert list(merged.catalog.databases) == ["master", MSDB]

"""Editing and reading a draft that changes many objects already: the first time in a process, and later."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import msgspec
import pytest
from django.utils import timezone

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.selectors import drafts
from brokerweb.topology.selectors.change_sets import change_set_picture
from brokerweb.topology.selectors.draft_objects import ObjectsAsked
from brokerweb.topology.selectors.drafts import change_set_at
from brokerweb.topology.selectors.findings import draft_diagnosis
from brokerweb.topology.selectors.topology import topology_picture
from brokerweb.topology.services.bulk import changes_decide
from brokerweb.topology.services.change_sets import change_set_create
from engine import api as engine
from tests.brokerweb.draft_contract import PLACE, new_route
from tests.brokerweb.estates import make_estate, pair_catalogs, tcp

SIZES = (1_000, 10_000)
ROUNDS = 9


@pytest.mark.django_db
@pytest.mark.timeout(600)
@pytest.mark.parametrize("size", SIZES)
def test_a_draft_of_many_objects_is_edited_and_read(size: int, show: Callable[[str, list[list[str]]], None]) -> None:
    make_estate(pair_catalogs())
    user = user_create("the-editor", Role.EDITOR)
    change_set_create("paire", title="", user=user)
    routes = [
        engine.RouteCreated(
            database="Ventes",
            route=engine.Route(name=f"route {number}", address=tcp("lyon"), service_name=f"//test/S{number}"),
        )
        for number in range(size)
    ]
    changes = {"PARIS": [msgspec.to_builtins(each) for each in routes]}
    changes_decide("paire", changes, summary="Many", change_set=1, user=user, expected_revision=None)
    numbers = iter(range(10_000))
    page = ObjectsAsked(rows=100)
    works: dict[str, Callable[[], object]] = {
        "an edit": lambda: new_route(PLACE, f"another {next(numbers)}"),
        "the change set, 100 objects of it": lambda: change_set_picture("paire", 1, user, page),
        "the map": lambda: topology_picture("paire", 1),
        "the findings": lambda: draft_diagnosis(change_set_at("paire", 1), timezone.now()),
    }
    rows = [["", "first of a process, s", "later, s", "after an edit, s"]]
    for name, work in works.items():
        drafts._foldings.clear()
        drafts._mergings.clear()
        first, *later = [_seconds(work) for _ in range(ROUNDS)]
        after = []
        for _ in range(ROUNDS):
            new_route(PLACE, f"another {next(numbers)}")
            after.append(_seconds(work))
        rows.append([name, *(f"{each:.3f}" for each in (first, statistics.median(later), statistics.median(after)))])
    show(f"A draft of {size:,} objects", rows)


def _seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin

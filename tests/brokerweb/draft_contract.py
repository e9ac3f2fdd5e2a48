"""What holds when several people work on drafts at the same moment, whatever the dashboard's database is."""

import threading

from django.db import connections

from brokerweb.common.errors import ConflictsOpen, RevisionConflict
from brokerweb.topology.models import ChangeSet, Decision, Estate, TopologyRevision
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.drafts import change_set_at, draft_catalogs
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.services.change_sets import change_set_apply, change_set_create
from brokerweb.topology.services.route import route_create, route_update
from tests.brokerweb.estates import make_estate, pair_catalogs

PLACE = DatabasePlace("paire", "PARIS", "Ventes", 1)


def estate_with_draft() -> Estate:
    """PARIS and LYON, and an empty change set #1."""
    estate = make_estate(pair_catalogs())
    change_set_create("paire", title="", user=None)
    return estate


def new_route(place: DatabasePlace, name: str, expected: int | None = None) -> int:
    clauses = {"name": name, "address": "LOCAL"}
    return route_create(place, user=None, expected_revision=expected, clauses=clauses)


def at_once(*works):
    """Run in threads, each with a connection of its own; answers what each returned or raised."""
    barrier = threading.Barrier(len(works))
    found = [None] * len(works)

    def run(number, work):
        barrier.wait()
        try:
            found[number] = work()
        except Exception as error:
            found[number] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


class ConcurrentDraftsContract:
    """Needs a fixture `estate` that makes `estate_with_draft` in a database that several connections see."""

    def test_edits_of_one_draft_at_the_same_moment_are_all_kept(self, estate):
        answers = at_once(*(lambda name=name: new_route(PLACE, name) for name in "abcdef"))
        assert sorted(answers) == [1, 2, 3, 4, 5, 6]
        assert set("abcdef") < set(draft_catalogs(change_set_at("paire", 1))["PARIS"].databases["Ventes"].routes)
        assert sorted(Decision.objects.values_list("sequence", flat=True)) == [1, 2, 3, 4, 5, 6, 7]

    def test_of_two_edits_from_the_same_state_one_is_told_what_happened(self, estate):
        answers = at_once(*(lambda name=name: new_route(PLACE, name, 0) for name in "ab"))
        (refused,) = [each for each in answers if each != 1]
        assert isinstance(refused, RevisionConflict)
        assert "Create route" in refused.why

    def test_of_two_drafts_of_one_object_applied_at_the_same_moment_one_has_a_conflict(self, estate):
        change_set_create("paire", title="", user=None)
        for number in (1, 2):
            route_update(
                DatabasePlace("paire", "PARIS", "Ventes", number),
                "vers_lyon",
                user=None,
                expected_revision=None,
                # Other ways of writing where it leads already, so that no flow is lost.
                clauses={"address": f"TCP://{('LYON', 'Lyon')[number - 1]}:4022"},
            )
        answers = at_once(
            *(lambda n=n: change_set_apply("paire", n, user=None, expected_sequence=None) for n in (1, 2))
        )
        (refused,) = [each for each in answers if each != 2]
        assert isinstance(refused, ConflictsOpen)
        assert TopologyRevision.objects.count() == 2
        assert ChangeSet.objects.filter(state="open").count() == 1

    def test_a_draft_applied_while_it_is_edited_has_the_edit_or_refuses_it(self, estate):
        new_route(PLACE, "a")
        applied, edited = at_once(
            lambda: change_set_apply("paire", 1, user=None, expected_sequence=1), lambda: new_route(PLACE, "b")
        )
        routes = estate_catalogs(estate)["PARIS"].databases["Ventes"].routes
        if applied == 2:
            assert edited != 2
            assert "a" in routes
            assert "b" not in routes
        else:
            assert isinstance(applied, RevisionConflict)
            assert edited == 2
            assert "a" not in routes

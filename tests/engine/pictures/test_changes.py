"""What is told since a picture: nothing, what has changed, or the whole where nobody remembers (ADR 25)."""

import pytest

from engine.core.catalog.changes import RouteCreated
from engine.core.exchange import pictures
from engine.core.exchange.pictures import Unchanged
from engine.core.pictures import journal as journal_module
from engine.core.pictures.journal import PictureJournal
from engine.core.vocabulary.rows import ConversationState
from tests.support.picture_watching import Held
from tests.support.world import World, route


class Watched:
    """PARIS, whose pictures are asked for one after another."""

    def __init__(self):
        self.world = World()
        self.node = self.world.instance("PARIS", self.world.database("Ventes", ["Client", "Caisse"]))
        self._told = 0
        self.journal = PictureJournal(0)
        self.catch_up()

    def catch_up(self):
        later = self.node.events[self._told :]
        if later:
            self.journal.note(self._told + 1, later)
        self._told += len(later)

    def ask(self, query):
        self.catch_up()
        return self.node.instance.picture(query, self.journal, self.world.now())


@pytest.fixture
def watched():
    return Watched()


def test_nothing_has_changed_while_nothing_happens_to_the_view(watched):
    handle = watched.node.begin("Ventes", "Client", "Nulle")
    whole = watched.ask(pictures.ConversationsQuery())
    for seen in (pictures.TransmissionsQuery(), pictures.QueuesQuery(), pictures.MirroredRoutesQuery()):
        sequence = watched.ask(seen).sequence
        assert isinstance(watched.ask(type(seen)(since=sequence)), Unchanged)
    assert isinstance(watched.ask(pictures.ConversationsQuery(since=whole.sequence)), Unchanged)
    watched.node.say("Ventes", handle, "x")
    assert not isinstance(watched.ask(pictures.TransmissionsQuery(since=whole.sequence)), Unchanged)
    assert isinstance(watched.ask(pictures.ForwardedMessagesQuery(since=whole.sequence)), Unchanged)


def test_only_what_has_changed_is_told_without_columns(watched):
    first = watched.node.begin("Ventes", "Client", "Nulle")
    watched.node.begin("Ventes", "Client", "Nulle")
    held = Held(watched.ask(pictures.ConversationsQuery()))
    watched.node.end("Ventes", first, with_cleanup=True)
    third = watched.node.begin("Ventes", "Client", "Nulle")
    changes = watched.ask(pictures.ConversationsQuery(since=held.sequence))
    assert (changes.is_whole, changes.columns, changes.total) == (False, (), 2)
    assert [row.key for row in changes.rows] == [f"{third} Ventes"]
    assert changes.gone == (f"{first} Ventes",)
    held.fold(changes)
    assert held.rows == Held(watched.ask(pictures.ConversationsQuery())).rows


def test_what_does_not_pass_the_filters_any_more_is_gone(watched):
    handle = watched.node.begin("Ventes", "Client", "Nulle", lifetime_seconds=2)
    begun = pictures.ConversationsQuery(states=(ConversationState.STARTED_OUTBOUND,))
    sequence = watched.ask(begun).sequence
    watched.world.run(3)
    changes = watched.ask(pictures.ConversationsQuery(since=sequence, states=begun.states))
    assert (changes.rows, changes.gone, changes.total) == ((), (f"{handle} Ventes",), 0)


def test_more_changes_than_rows_are_told_as_a_whole(watched):
    sequence = watched.ask(pictures.ConversationsQuery(rows_max=3)).sequence
    for _ in range(4):
        watched.node.begin("Ventes", "Client", "Nulle")
    changes = watched.ask(pictures.ConversationsQuery(since=sequence, rows_max=3))
    assert (changes.is_whole, len(changes.rows), changes.has_more) == (True, 3, True)


def test_a_catalog_that_is_another_one_is_told_as_a_whole(watched):
    sequence = watched.ask(pictures.QueuesQuery()).sequence
    watched.node.define(RouteCreated(database="Ventes", route=route("Nulle", "lyon")))
    for query in (pictures.ConversationsQuery, pictures.TransmissionsQuery, pictures.QueuesQuery):
        assert watched.ask(query(since=sequence)).is_whole


@pytest.mark.parametrize("since", [0, 10**9])
def test_a_picture_that_nobody_remembers_is_made_anew(watched, since):
    """Before the oldest event that is kept, or after the last one: of an instance that was restored."""
    watched.journal = PictureJournal(1_000)
    assert watched.node.instance.picture(
        pictures.ConversationsQuery(since=since), watched.journal, watched.world.now()
    ).is_whole


def test_the_journal_keeps_so_many_events(watched, monkeypatch):
    monkeypatch.setattr(journal_module, "PICTURE_EVENTS_KEPT", 10)
    before = watched.ask(pictures.ConversationsQuery()).sequence
    for _ in range(6):
        watched.node.begin("Ventes", "Client", "Nulle")
        watched.catch_up()
    assert not watched.journal.reaches(before)
    assert watched.journal.reaches(watched.journal.last - 5)
    assert len(list(watched.journal.later(before))) <= 10
    assert watched.ask(pictures.ConversationsQuery(since=before)).is_whole


def test_a_restart_is_told_to_whoever_has_a_picture_of_before(watched):
    """Connections, monitors and reasons to wait begin anew, though no row of the store has changed."""
    sequence = watched.ask(pictures.ConversationsQuery()).sequence
    watched.node.kill()
    watched.node.start()
    assert watched.ask(pictures.ConversationsQuery(since=sequence)).is_whole

"""What every book of leases promises, whatever it is kept in; each kind of book runs all of it."""

import threading
import time

from engine.core.vocabulary.identifiers import CatalogRevision, EstateName, InstanceName
from engine.core.vocabulary.moment import Duration
from engine.hosting.leases import HolderId, InstanceFigures, LeaseBook, LeaseEntry
from engine.hosting.shelf import InstanceKey

PARIS: InstanceKey = (EstateName("démo"), InstanceName("PARIS"))
LYON: InstanceKey = (EstateName("démo"), InstanceName("LYON"))
ANNE, BERT = HolderId("anne/1/a"), HolderId("bert/2/b")
LONG = Duration(60.0)


def entry_of(book: LeaseBook, key: InstanceKey) -> LeaseEntry:
    (found,) = [entry for entry in book.entries() if entry.key == key]
    return found


class LeaseBookContract:
    """Subclasses say what `book` is, an empty one, and how its time passes."""

    def let_pass(self, book: LeaseBook, seconds: float) -> None:
        """To the book, so much time has passed."""
        raise NotImplementedError

    def test_one_holder_at_a_time(self, book: LeaseBook):
        began = time.monotonic()
        lease = book.take(PARIS, ANNE, LONG)
        assert lease is not None
        assert (lease.key, lease.holder, lease.fence) == (PARIS, ANNE, 1)
        assert book.take(PARIS, BERT, LONG) is None
        entry = entry_of(book, PARIS)
        assert (entry.holder, entry.fence, entry.is_held) == (ANNE, 1, True)
        # A database's clock may run a little differently.
        assert LONG - (time.monotonic() - began) - 0.1 <= entry.seconds_left <= LONG
        assert book.take(LYON, BERT, LONG) is not None, "another instance is another matter"

    def test_the_number_rises_by_one_with_each_owner_and_never_falls(self, book: LeaseBook):
        numbers = []
        for holder in (ANNE, BERT, ANNE, BERT):
            lease = book.take(PARIS, holder, LONG)
            assert lease is not None
            numbers.append(lease.fence)
            book.give_back(lease, is_closed=holder == BERT)
        assert numbers == [1, 2, 3, 4]
        assert entry_of(book, PARIS).fence == 4

    def test_the_same_holder_takes_again_under_the_next_number(self, book: LeaseBook):
        assert [getattr(book.take(PARIS, ANNE, LONG), "fence", None) for _ in range(3)] == [1, 2, 3]

    def test_what_is_given_back_can_be_taken_at_once(self, book: LeaseBook):
        lease = book.take(PARIS, ANNE, LONG)
        assert lease is not None
        book.give_back(lease, is_closed=False)
        entry = entry_of(book, PARIS)
        assert (entry.holder, entry.is_held, entry.is_closed) == (None, False, False)
        assert book.take(PARIS, BERT, LONG) is not None

    def test_a_closed_instance_says_so_until_it_is_taken_again(self, book: LeaseBook):
        lease = book.take(PARIS, ANNE, LONG)
        assert lease is not None
        book.give_back(lease, is_closed=True)
        assert entry_of(book, PARIS).is_closed
        assert book.take(PARIS, BERT, LONG) is not None
        assert not entry_of(book, PARIS).is_closed

    def test_a_lease_that_is_not_renewed_ends(self, book: LeaseBook):
        assert book.take(PARIS, ANNE, LONG) is not None
        self.let_pass(book, LONG / 2)
        assert book.take(PARIS, BERT, LONG) is None
        self.let_pass(book, LONG / 2)
        assert not entry_of(book, PARIS).is_held
        taken = book.take(PARIS, BERT, LONG)
        assert taken is not None
        assert taken.fence == 2
        assert book.renew(ANNE, {PARIS: InstanceFigures()}, LONG) == frozenset(), "it comes too late"
        assert entry_of(book, PARIS).holder == BERT

    def test_a_lease_that_is_renewed_goes_on_and_tells_how_the_instance_is(self, book: LeaseBook):
        assert book.take(PARIS, ANNE, LONG) is not None
        assert entry_of(book, PARIS).figures is None
        figures = InstanceFigures(revision=CatalogRevision(7), inbox=3, oldest_seconds=Duration(1.5))
        for _ in range(4):
            self.let_pass(book, LONG / 2)
            assert book.renew(ANNE, {PARIS: figures}, LONG) == {PARIS}
        assert book.take(PARIS, BERT, LONG) is None
        assert entry_of(book, PARIS).figures == figures

    def test_a_renewal_is_refused_for_what_another_one_has_and_made_for_the_rest(self, book: LeaseBook):
        lease = book.take(PARIS, ANNE, LONG)
        assert lease is not None
        assert book.take(LYON, ANNE, LONG) is not None
        book.give_back(lease, is_closed=False)
        assert book.take(PARIS, BERT, LONG) is not None
        both = {PARIS: InstanceFigures(inbox=1), LYON: InstanceFigures(inbox=1)}
        assert book.renew(ANNE, both, LONG) == {LYON}
        assert entry_of(book, PARIS).figures is None, "figures of another host are not told"

    def test_who_lost_a_lease_gives_nothing_back(self, book: LeaseBook):
        lost = book.take(PARIS, ANNE, LONG)
        assert lost is not None
        self.let_pass(book, LONG)
        assert book.take(PARIS, BERT, LONG) is not None
        book.give_back(lost, is_closed=True)
        entry = entry_of(book, PARIS)
        assert (entry.holder, entry.is_held, entry.is_closed) == (BERT, True, False)

    def test_of_many_who_ask_at_once_one_gets_it(self, book: LeaseBook):
        holders = [HolderId(f"worker{number}/1/a") for number in range(8)]
        together = threading.Barrier(len(holders))
        got: list[HolderId] = []

        def ask(holder: HolderId) -> None:
            together.wait()
            if book.take(PARIS, holder, LONG) is not None:
                got.append(holder)

        askers = [threading.Thread(target=ask, args=(holder,)) for holder in holders]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        assert len(got) == 1
        entry = entry_of(book, PARIS)
        assert (entry.holder, entry.fence) == (got[0], 1)

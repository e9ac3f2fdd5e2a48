"""The checkers bite: every error that is planted into the engine is caught; `make mutants` tells in how many seeds."""

import pytest

from engine.core.dialog.receiver import DialogReceiver
from tests.mutants.catalogue import MUTANTS
from tests.mutants.hunt import hunt
from tests.mutants.planting import Mutant, Patch
from tests.support.thoroughness import share

pytestmark = pytest.mark.interpreted

SEEDS = range(60)


def test_there_are_enough_of_them_and_no_two_of_one_name():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 12
    assert all(mutant.caught_by for mutant in MUTANTS)


@pytest.mark.parametrize("mutant", share(MUTANTS, 11), ids=lambda mutant: mutant.name)
def test_a_checker_that_is_meant_to_catch_it_does(mutant):
    catch = hunt(mutant, SEEDS, until_caught=True)
    assert catch.is_caught, f"found by {catch.by or 'nobody'} in {catch.seeds} seeds"


def test_planting_leaves_nothing_behind_even_when_it_fails():
    before = DialogReceiver.__dict__["classify"]
    mutant = Mutant("any", (Patch(DialogReceiver, "classify", lambda _: None),))
    seen = []

    def fail():
        with mutant.planted():
            seen.append(DialogReceiver.__dict__["classify"])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert seen == [None]
    assert DialogReceiver.__dict__["classify"] is before


def test_a_patch_of_what_the_engine_does_not_have_is_refused():
    with pytest.raises(KeyError), Patch(DialogReceiver, "no_such_name", lambda _: None).planted():
        pass

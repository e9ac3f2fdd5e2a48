"""Chance: the same seed throws the same, whatever other parts of the world do."""

from engine.sim.entropy import Dice, SeededEntropy


def throws(dice):
    return [dice.number(0, 10**9) for _ in range(5)]


def test_a_seed_and_a_name_decide_every_throw():
    assert throws(Dice(7, "network")) == throws(Dice(7, "network"))
    assert throws(Dice(7, "network")) != throws(Dice(7, "clerk"))
    assert throws(Dice(7, "network")) != throws(Dice(8, "network"))


def test_what_is_switched_off_makes_no_throw():
    quiet, other = Dice(7, "network"), Dice(7, "network")
    assert not any(quiet.chance(0.0) for _ in range(100))
    assert throws(quiet) == throws(other)


def test_each_throw_keeps_its_bounds():
    dice = Dice(1, "bounds")
    assert all(2.0 <= dice.between(2.0, 3.0) <= 3.0 for _ in range(500))
    assert all(0.1 <= dice.scale(0.1, 10.0) <= 10.0 for _ in range(500))
    assert all(0.0 <= dice.about(4.0) <= 40.0 for _ in range(500))
    assert {dice.choose("abc") for _ in range(100)} == set("abc")


def test_the_core_gets_version_4_ids_and_jitter_up_to_a_quarter():
    entropy = SeededEntropy(Dice(1, "entropy"))
    ids = {entropy.new_uuid() for _ in range(100)}
    assert len(ids) == 100
    assert {each.version for each in ids} == {4}
    assert all(0.0 <= entropy.jitter(8.0) <= 2.0 for _ in range(200))
    assert {entropy.choose_index(3) for _ in range(100)} == {0, 1, 2}

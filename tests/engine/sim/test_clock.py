"""Virtual time: order, two clocks that go wrong, and an end to what never ends."""

import pytest

from engine.sim.clock import Agenda, MachineClock


def test_what_falls_on_one_instant_happens_in_the_order_in_which_it_was_planned():
    agenda, seen = Agenda(100), []
    for seconds, name in ((2.0, "c"), (1.0, "a"), (1.0, "b"), (9.0, "late")):
        agenda.at(seconds, lambda name=name: seen.append((name, agenda.seconds)))
    agenda.run_until(5.0)
    assert seen == [("a", 1.0), ("b", 1.0), ("c", 2.0)]
    assert agenda.seconds == 5.0


def test_what_is_planned_for_the_past_happens_next_and_time_never_goes_back():
    agenda, seen = Agenda(100), []
    agenda.run_until(3.0)
    agenda.at(1.0, lambda: seen.append(agenda.seconds))
    agenda.run_until(3.0)
    assert seen == [3.0]


def test_an_agenda_that_never_ends_is_given_up():
    agenda = Agenda(50)

    def again():
        agenda.after(0.0, again)

    again()
    agenda.run_until(1.0)
    assert agenda.is_exhausted


def test_a_clock_that_is_too_fast_gains_on_the_truth_and_a_step_moves_utc_alone():
    agenda = Agenda(10)
    clock = MachineClock(agenda, rate=1.5, offset=7.0, starts_at=100.0)
    before = clock.now()
    agenda.run_until(10.0)
    clock.step(-60.0)
    after = clock.now()
    assert after.monotonic - before.monotonic == pytest.approx(15.0)
    assert after.utc - before.utc == pytest.approx(15.0 - 60.0)


@pytest.mark.parametrize("rate", [0.99, 1.0, 1.0001, 1.37])
@pytest.mark.parametrize("starts_at", [0.0, 0.1, 123_456.789])
def test_an_alarm_never_rings_before_its_instant(rate, starts_at):
    agenda = Agenda(10_000)
    clock = MachineClock(agenda, rate=rate, starts_at=starts_at)
    for number in range(200):
        instant = starts_at + number * 0.0371
        agenda.run_until(clock.true_time_of(instant))
        assert clock.now().monotonic >= instant
        assert clock.now().monotonic == pytest.approx(instant, abs=1e-6)

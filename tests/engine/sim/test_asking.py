"""The clerk: which refusals are worth another attempt."""

from uuid import UUID

import pytest

from engine.core.exchange.commands import Receive, SetQueueStatus
from engine.core.exchange.replies import QueueStatusSet, Refusal
from engine.sim.asking import Clerk
from engine.sim.clock import Agenda
from engine.sim.entropy import Dice
from engine.sim.history import Journal, RepliedAgain
from engine.sim.site import Site

DONE = QueueStatusSet(is_enabled=True)


class Away:
    """A server that refuses each of the first commands with a number."""

    name = "LYON"

    def __init__(self, *numbers):
        self.numbers = list(numbers)
        self.given = []

    def execute(self, command, on_reply):
        self.given.append(command.command_id)
        number = self.numbers.pop(0) if self.numbers else None
        on_reply(DONE if number is None else Refusal(number=number, text="", why="", cure="", parameters={}))


class Ear:
    """Hears what was answered again."""

    watches = (RepliedAgain,)

    def __init__(self, heard):
        self.observe = heard.append


def switch_on(server):
    agenda = Agenda(1_000)
    clerk = Clerk(agenda, Journal(), Dice(1, "clerk"))
    heard = []
    command = SetQueueStatus(command_id=UUID(int=1), database="Stock", queue="dbo.Stock", is_enabled=True)
    clerk.ask(Site(server, "Stock"), command, heard.append)
    agenda.run_until(60.0)
    return heard


@pytest.mark.parametrize("number", [911, 954])
def test_a_queue_is_switched_on_when_its_database_is_back(number):
    """A queue of a database that is detached or a mirror copy for a moment would stay off for good."""
    server = Away(number, number)
    assert switch_on(server) == [DONE]
    assert len(set(server.given)) == 3


def test_a_refusal_of_the_moment_is_asked_for_again_where_it_was_given():
    """Its receiver has moved on with the database; nobody there knows that it was asked for."""
    agenda, journal, heard = Agenda(1_000), Journal(), []
    journal.tell([Ear(heard)])
    clerk = Clerk(agenda, journal, Dice(1, "clerk"))
    clerk.redelivery = 1.0
    before, after = Away(954, 954), Away()
    site = Site(before, "Stock")
    clerk.ask(site, Receive(command_id=UUID(int=1), database="Stock", queue="dbo.Stock"), lambda reply: None)
    site.server = after
    agenda.run_until(60.0)
    assert [entry.reply.number for entry in heard] == [954]
    assert after.given == []


def test_any_other_refusal_is_the_answer():
    server = Away(15151)
    assert [reply.number for reply in switch_on(server)] == [15151]
    assert len(server.given) == 1

"""The clerk: which refusals are worth another attempt."""

from uuid import UUID

import pytest

from engine.core.exchange.commands import SetQueueStatus
from engine.core.exchange.replies import QueueStatusSet, Refusal
from engine.sim.asking import Clerk
from engine.sim.clock import Agenda
from engine.sim.entropy import Dice
from engine.sim.history import Journal
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


def test_any_other_refusal_is_the_answer():
    server = Away(15151)
    assert [reply.number for reply in switch_on(server)] == [15151]
    assert len(server.given) == 1

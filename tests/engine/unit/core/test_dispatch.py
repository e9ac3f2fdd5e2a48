"""Every input has its handler: the tables are complete, and nothing in them is unknown."""

from typing import get_args

from engine.core.exchange.commands import Command, CommandBase
from engine.core.exchange.inputs import Event
from engine.core.handlers.dispatch import COMMAND_HANDLERS, EVENT_HANDLERS, FREQUENT


def test_each_command_and_each_event_has_one_handler():
    assert set(COMMAND_HANDLERS) == set(get_args(Command))
    assert set(EVENT_HANDLERS) == set(get_args(Event))
    assert FREQUENT.items() <= {**COMMAND_HANDLERS, **EVENT_HANDLERS}.items()


def test_what_is_a_command_is_told_by_its_base():
    assert all(issubclass(each, CommandBase) for each in COMMAND_HANDLERS)
    assert not any(issubclass(each, CommandBase) for each in EVENT_HANDLERS)

"""Members of frequent enumerations are plain attributes, and members all the same."""

from enum import StrEnum

import pytest

from engine.core.vocabulary.enumerations import plain_members
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.rows import ConversationState


@plain_members
class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


def test_a_member_stands_in_the_class_itself():
    assert vars(Colour)["RED"] is Colour.RED
    assert vars(MessageKind)["USER"] is MessageKind("user")


def test_members_are_still_members():
    assert list(Colour) == [Colour.RED, Colour.GREEN]
    assert Colour("green") is Colour["GREEN"] is Colour.GREEN
    assert (Colour.RED.name, Colour.RED.value) == ("RED", "red")
    with pytest.raises(AttributeError):
        Colour.RED = "blue"


def test_a_state_is_found_by_itself_and_by_its_code():
    assert {ConversationState.CLOSED: 1}["CD"] == 1
    assert hash(ConversationState.CLOSED) == hash("CD")

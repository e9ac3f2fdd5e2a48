"""Applications: what their bodies say, and that they do one thing after the other."""

from uuid import UUID

import pytest

from engine.core.exchange.commands import EndConversation, Send
from engine.core.exchange.replies import ConversationEnded, MessageSent, Refusal
from engine.sim.workload.bodies import END, REPLY, Letter, read, write
from engine.sim.workload.party import APPLICATION_ERROR, Party
from tests.engine.sim.worlds import HANDLE


@pytest.mark.parametrize("orders", [(), (REPLY,), (REPLY, END)])
@pytest.mark.parametrize("size", [1, 60, 5_000])
def test_a_body_says_what_was_written_whatever_its_size(orders, size):
    letter = Letter(HANDLE, 12, orders)
    body = write(letter, size)
    assert read(body) == letter
    assert len(body) >= size


@pytest.mark.parametrize("body", [None, b"", b"hello", b"a:b:c:", b"\xff\xfe", write(Letter(HANDLE, 1, ()), 60) + b"x"])
def test_what_no_application_wrote_says_nothing(body):
    assert read(body) is None


class Desk:
    """A clerk that keeps commands until the test answers them."""

    def __init__(self):
        self.asked = []

    def new_id(self):
        return UUID(int=len(self.asked))

    def ask(self, server, command, then):
        self.asked.append((command, then))

    def answer(self, reply):
        self.asked[-1][1](reply)

    @property
    def last(self):
        return self.asked[-1][0]


@pytest.fixture
def desk():
    return Desk()


@pytest.fixture
def party(desk):
    return Party(desk, None, "Ventes", HANDLE)


def test_a_party_waits_for_one_answer_before_it_says_the_next_thing(desk, party):
    party.say((), 10)
    party.say((), 10)
    assert len(desk.asked) == 1
    desk.answer(MessageSent(message_sequence_number=0))
    assert [read(command.body).number for command, _ in desk.asked] == [0, 1]


def test_a_party_whose_message_was_refused_says_nothing_more_and_still_ends(desk, party):
    party.say((), 10)
    party.say((), 10)
    party.end(with_error=True)
    desk.answer(Refusal(number=8429, text="over"))
    assert isinstance(desk.last, EndConversation)
    assert desk.last.error_code == APPLICATION_ERROR
    assert len(desk.asked) == 2


def test_a_party_ends_once_and_is_silent_then(desk, party):
    party.end()
    party.end()
    party.say((), 10)
    desk.answer(ConversationEnded(state=None))
    assert len(desk.asked) == 1


def test_a_party_may_wait_for_answers_before_it_ends(desk, party):
    party.say((), 10)
    desk.answer(MessageSent(message_sequence_number=0))
    party.end_when_heard(1)
    assert isinstance(desk.last, Send)
    party.heard = 1
    party.when_heard()
    assert isinstance(desk.last, EndConversation)
    assert party.when_heard is None

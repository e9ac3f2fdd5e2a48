"""A browser that goes while something is being sent to it."""

import asyncio

import pytest
from autobahn.exception import Disconnected

from brokerweb.common.sockets import told

MESSAGE = {"type": "websocket.send", "text": "[]"}


def tell(error: Exception) -> None:
    async def send(message):
        assert message is MESSAGE
        raise error

    asyncio.run(told(send, MESSAGE))


def test_nothing_comes_of_what_is_sent_to_a_browser_that_has_gone():
    tell(Disconnected("Attempt to send on a closed protocol"))


def test_any_other_failure_is_one():
    with pytest.raises(ValueError, match="not accepted"):
        tell(ValueError("Socket not accepted"))

"""The network of the tests of links."""

from collections.abc import AsyncIterator

import pytest

from tests.engine.transport.network_pair import Network


@pytest.fixture
async def network() -> AsyncIterator[Network]:
    network = Network()
    yield network
    network.paris.close()
    network.lyon.stop()

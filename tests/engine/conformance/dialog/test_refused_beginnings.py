"""BEGIN DIALOG refuses what cannot name a service or a contract (tsql.md 9.1)."""

import pytest

from engine.core.exchange.commands import BeginDialog
from engine.core.exchange.replies import Refusal
from tests.support.world import World


@pytest.fixture
def paris():
    world = World()
    return world.instance("PARIS", world.database("Ventes", ["Client"]))


@pytest.mark.parametrize("name", ["", "a\x00b", "a\tb", "\x85", "a\ud800", "x" * 257, "\U0001f600" * 129])
def test_a_service_name_that_is_not_well_formed_is_refused(paris, name):
    reply = paris.do(BeginDialog, database="Ventes", from_service="Client", to_service=name)
    assert isinstance(reply, Refusal)
    assert reply.number == 8412
    assert paris.view("Ventes").conversation_endpoints == ()


@pytest.mark.parametrize("name", ["x" * 256, "\U0001f600" * 128, "//exemple.fr/Entrepôt Süd", "a\u200db"])
def test_any_other_service_name_is_taken(paris, name):
    assert not isinstance(paris.do(BeginDialog, database="Ventes", from_service="Client", to_service=name), Refusal)


def test_an_empty_contract_is_none_of_the_database(paris):
    reply = paris.do(BeginDialog, database="Ventes", from_service="Client", to_service="Server", contract="")
    assert (type(reply), reply.number) == (Refusal, 8425)

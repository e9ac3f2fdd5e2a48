"""Contracts: what the sender's database has, what the target's service lists, and who may send what under them.

  WEST                         EAST
Shop: Till ── TCP://east ──▶ Store: Stock
"""

from uuid import UUID

import pytest

from engine.core.catalog.changes import (
    ContractCreated,
    MessageTypeCreated,
    QueueAltered,
    ServiceAltered,
)
from engine.core.catalog.objects import DEFAULT_CONTRACT, Contract, ContractUse, MessageType, SentBy, Validation
from engine.core.catalog.revision import apply_changes
from engine.whatif.answering import ask
from engine.whatif.evaluation import Evaluation
from engine.whatif.flows import new_flows, possible_flows
from engine.whatif.telling import FlowQuestion
from tests.support.random_estates import NOW
from tests.support.small_estates import (
    OTHER,
    SHOP,
    STOCK,
    asked,
    database,
    end,
    ends,
    estate,
    instance,
    lights,
    shop,
    store,
    to,
)

TO_EAST = to("TCP://east:4022")
ASK, TELL = ("Ask", SentBy.INITIATOR), ("Tell", SentBy.TARGET)


def talk(name, *uses, contract="Talk", validation=Validation.NONE):
    """Two message types and a contract of a database."""
    types = [MessageType(each, validation) for each in ("Ask", "Tell")]
    made = Contract(contract, tuple(ContractUse(*use) for use in uses or (ASK, TELL)))
    return [
        *(MessageTypeCreated(database=name, message_type=each) for each in types),
        ContractCreated(database=name, contract=made),
    ]


def lists(name, *contracts, service="Stock"):
    """The service takes dialogs under these, and no others."""
    return ServiceAltered(database=name, name=service, adds=contracts, drops=(DEFAULT_CONTRACT,))


def both(ours=(), theirs=()):
    return estate(apply_changes(shop(TO_EAST), list(ours)), apply_changes(store(), list(theirs)))


def test_a_service_that_lists_no_contract_is_no_target():
    legs = asked(both(theirs=[lists("Store")]))
    assert end(legs) == ("refused", "EAST/Store", 8408)
    assert lights(legs) == "red grey grey grey"


def test_within_an_instance_it_is_refused_too():
    home = database("Shop", "Till", "Stock", broker=SHOP)
    assert end(asked(estate(instance("WEST", [*home, lists("Shop")])))) == ("refused", "WEST/Shop", 8408)


def test_who_names_no_contract_takes_one_that_the_service_lists_and_its_own_database_has():
    catalogs = both(talk("Shop"), [*talk("Store"), lists("Store", "Talk")])
    assert end(asked(catalogs)) == ("delivered", "EAST/Store", None)
    question = FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
    answer = ask(catalogs, question, at=NOW)
    assert (answer.contract, answer.message_type) == ("Talk", "Ask")


def test_a_listed_contract_that_the_sender_does_not_have_does_not_help_it():
    catalogs = both(theirs=[*talk("Store"), lists("Store", "Talk")])
    assert end(asked(catalogs)) == ("refused", "EAST/Store", 8408)
    assert end(asked(catalogs, contract="Talk")) == ("not-begun", "WEST/Shop", 8425)


def test_the_target_may_not_know_the_contract_at_all():
    assert end(asked(both(talk("Shop")), contract="Talk")) == ("refused", "EAST/Store", 8425)


@pytest.mark.parametrize(
    ("theirs", "number"),
    [
        ([("Ask", SentBy.TARGET), ("Tell", SentBy.INITIATOR)], 8457),
        ([("Tell", SentBy.INITIATOR)], 8498),
    ],
)
def test_a_contract_that_is_another_one_at_the_target_refuses_the_type(theirs, number):
    catalogs = both(talk("Shop"), [*talk("Store", *theirs), lists("Store", "Talk")])
    assert end(asked(catalogs, contract="Talk")) == ("refused", "EAST/Store", number)


def test_a_body_must_fit_the_type_as_the_target_has_it():
    catalogs = both(talk("Shop"), [*talk("Store", validation=Validation.EMPTY), lists("Store", "Talk")])
    assert end(asked(catalogs)) == ("refused", "EAST/Store", 8430)


def test_of_two_types_the_one_is_taken_that_the_target_takes():
    ours = [("Ask", SentBy.INITIATOR), ("Tell", SentBy.INITIATOR)]
    catalogs = both(talk("Shop", *ours), [*talk("Store", ("Tell", SentBy.ANY)), lists("Store", "Talk")])
    assert end(asked(catalogs)) == ("delivered", "EAST/Store", None)
    assert end(asked(catalogs, message_type="Ask")) == ("refused", "EAST/Store", 8498)


@pytest.mark.parametrize(("message_type", "number"), [("Tell", 8432), (DEFAULT_CONTRACT, 8431), ("Nil", 8428)])
def test_what_the_sender_may_not_send_is_never_sent(message_type, number):
    catalogs = both(talk("Shop"), [*talk("Store"), lists("Store", "Talk")])
    legs = asked(catalogs, contract="Talk", message_type=message_type)
    assert end(legs) == ("not-begun", "WEST/Shop", number)
    assert lights(legs) == "red grey grey grey"


def test_a_queue_that_keeps_what_is_sent_lets_nothing_be_sent_while_it_is_off():
    off = QueueAltered(database="Shop", name="dbo.Till", is_enabled=False, is_retention_enabled=True)
    assert end(asked(both([off]))) == ("not-begun", "WEST/Shop", 9618)


def test_a_reply_of_a_type_that_the_sender_does_not_take_is_refused_by_it():
    ours = [("Ask", SentBy.INITIATOR)]
    legs = asked(both(talk("Shop", *ours), [*talk("Store"), lists("Store", "Talk")]))
    assert ends(legs[2]) == [(1.0, "refused", "WEST/Shop", 8498)]
    assert lights(legs) == "green green red grey"


def test_a_target_that_may_send_nothing_can_end_the_conversation():
    one_way = [("Ask", SentBy.INITIATOR)]
    legs = asked(both(talk("Shop", *one_way), [*talk("Store", *one_way), lists("Store", "Talk")]))
    assert lights(legs) == "green green green green"


def test_of_several_copies_one_contract_serves_the_most():
    """Two of three copies list Talk alone, the third Chat; the sender has both."""
    chat = talk("Shop", contract="Chat")[-1:]
    west = apply_changes(shop(TO_EAST), [*talk("Shop"), *chat])
    places = [
        [*database(name, "Stock", broker=id), *talk(name), *talk(name, contract="Chat")[-1:], lists(name, contract)]
        for name, contract, id in (("A", "Chat", STOCK), ("B", "Talk", OTHER), ("C", "Talk", UUID(int=0xD)))
    ]
    legs = asked(estate(west, instance("EAST", *places, msdb=[to("TCP://west:4022", "Till")])))
    assert [(disposition, number) for _, disposition, _, number in ends(legs[0])].count(("delivered", None)) == 2


def test_nobody_is_asked_for_a_flow_that_can_never_be_begun():
    """Stock answers Till over a route that names it; Till takes no dialogs."""
    before = estate(apply_changes(shop(TO_EAST), [lists("Shop", service="Till")]), store())
    assert {(flow.service, flow.to_service) for flow in possible_flows(before)} == {("Till", "Stock")}
    after = {**before, "WEST": apply_changes(before["WEST"], [_listing("Shop", "Till")])}
    assert ("Stock", "Till") in {(flow.service, flow.to_service) for flow in new_flows(before, after)}


def test_a_contract_that_comes_or_goes_changes_the_verdict():
    before = both(talk("Shop"), [*talk("Store"), lists("Store", "Talk")])
    evaluation = Evaluation(before, possible_flows(before), at=NOW)
    flow = FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
    after = {**before, "EAST": _without_talk(before)}
    (change,) = evaluation.changes_to(after)
    assert (change.flow, change.change.value, change.after.number) == (flow, "lost", 8408)


def _listing(name, service):
    return ServiceAltered(database=name, name=service, adds=(DEFAULT_CONTRACT,))


def _without_talk(catalogs):
    return apply_changes(
        catalogs["EAST"],
        [ServiceAltered(database="Store", name="Stock", drops=("Talk",))],
    )

"""Scenarios 3XX: what a waiting message waits for, and a retry that does not wait for the next deadline."""

from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.changes import BrokerSwitched, EndpointAltered, RouteCreated, RouteDropped
from engine.core.catalog.objects import EndpointState
from engine.core.exchange.commands import RetryTransmission
from engine.core.exchange.explaining import RetryEnd
from engine.core.exchange.replies import Refusal, TransmissionRetried
from engine.core.exchange.silent_events import TransmissionRetryAsked
from engine.core.routing.decision import Classification
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.messages import DialogTarget, LinkState
from engine.whatif.explanation import flow_of, with_proofs
from engine.whatif.proof import Circumstances, proof_of
from tests.support.mirrored import ID, MirroredWorld, bodies, step_down
from tests.support.world import EPOCH, World, route

STOP = EndpointAltered(name="Broker", state=EndpointState.STOPPED)
START = EndpointAltered(name="Broker", state=EndpointState.STARTED)


def paris_and_lyon(*routes_of_paris):
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], *routes_of_paris))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    return world, paris, lyon


def retry(node, handle, database="Ventes"):
    return node.do(RetryTransmission, database=database, conversation_handle=handle)


def explain(node, handle, database="Ventes"):
    return with_proofs(node.instance.explain(database, handle, 7, node.world.now()))


def stuck(node, *bodies):
    dialog = node.begin("Ventes", "Client", "Entrepôt")
    for body in bodies:
        node.say("Ventes", dialog, body)
    return dialog


# ── retry ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_301_a_retry_dials_an_address_that_is_left_alone():
    """PARIS ──╳ LYON, which starts again: by itself PARIS would try after 60 seconds."""
    world, paris, lyon = paris_and_lyon(route("Entrepôt", "lyon"))
    lyon.define(STOP)
    dialog = stuck(paris, "x")
    world.run(1)
    lyon.define(START)
    world.run(5)
    assert lyon.view("Stock").queues[0].ready == 0, "PARIS leaves LYON alone"
    reply = retry(paris, dialog)
    assert (reply.waiting, reply.number) == (1, 9754), "the call is under way"
    world.run(1)
    assert lyon.view("Stock").queues[0].ready == 1
    assert [event.conversation_handle for event in paris.told(TransmissionRetryAsked)] == [dialog]


def test_302_a_retry_sends_again_what_is_not_acknowledged():
    """What was lost goes at once, not when its deadline comes."""
    world, paris, lyon = paris_and_lyon(route("Entrepôt", "lyon"))
    world.loses = lambda message: message.is_sequenced
    dialog = stuck(paris, "1", "2")
    world.run(1)
    world.loses = lambda message: False
    retry(paris, dialog)
    world.run(0.2)
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"1", b"2"]


def test_303_a_retry_of_a_message_without_a_way_changes_nothing_but_is_told():
    world, paris, _ = paris_and_lyon()
    dialog = stuck(paris, "x")
    world.run(1)
    status = paris.view("Ventes").transmission_queue[0].transmission_status
    assert retry(paris, dialog) == TransmissionRetried(waiting=1, number=9796, text=status, before=9796)
    assert len(paris.told(TransmissionRetryAsked)) == 1


def test_304_a_retry_asks_the_partners_of_a_mirrored_route_at_once():
    """Both partners are cut off and come back; by itself PARIS would ask after a minute."""
    world = MirroredWorld()
    for host in ("lyon", "berlin"):
        world.cut(world.paris, host)
    dialog = world.paris.begin("Ventes", "Client", "Entrepôt", to_broker_instance=ID)
    world.paris.say("Ventes", dialog, "x")
    world.run(2)
    for host in ("lyon", "berlin"):
        world.mend(world.paris, host)
    told = explain(world.paris, dialog)
    assert (told.number, told.retry.end, told.retry.number) == (9754, RetryEnd.WAITS, 9754)
    retry(world.paris, dialog)
    world.run(1)
    assert bodies(world.lyon) == [b"x"]


def test_305_the_same_command_again_is_answered_as_it_was_and_done_once():
    _, paris, _ = paris_and_lyon()
    dialog = stuck(paris, "x")
    command = RetryTransmission(command_id=UUID(int=99), database="Ventes", conversation_handle=dialog)
    assert paris.feed(command) == paris.feed(command)
    assert len(paris.told(TransmissionRetryAsked)) == 1


@pytest.mark.parametrize(("database", "number"), [("Ventes", 8426), ("Nulle", 911)])
def test_306_a_conversation_or_a_database_that_is_not_there_is_refused(database, number):
    _, paris, _ = paris_and_lyon()
    refused = retry(paris, UUID(int=5), database)
    assert isinstance(refused, Refusal)
    assert refused.number == number
    with pytest.raises(BrokerError) as raised:
        explain(paris, UUID(int=5), database)
    assert raised.value.number == number
    assert paris.told(TransmissionRetryAsked) == []


def test_307_a_retry_where_nothing_waits_is_harmless():
    world, paris, lyon = paris_and_lyon(route("Entrepôt", "lyon"))
    dialog = stuck(paris, "x")
    world.run(3)
    assert retry(paris, dialog) == TransmissionRetried(waiting=0, number=None, text="")
    assert len(lyon.receive("Stock", "Entrepôt")) == 1


# ── explain ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_311_a_missing_route_then_and_the_new_route_now():
    """Journey 22: after the missing route is applied, the decision now leads to LYON."""
    world, paris, _ = paris_and_lyon()
    dialog = stuck(paris, "x")
    world.run(1)
    told = explain(paris, dialog)
    assert (told.number, told.waiting, told.is_same, told.waits_since) == (9796, 1, True, EPOCH)
    assert told.then.decision.classification is Classification.DELAYED
    assert (told.retry.end, told.retry.number) == (RetryEnd.WAITS, 9796)
    assert told.retry.retries_at > EPOCH + world.seconds
    assert told.then.proof[0] == told.now.proof[0]
    paris.define(RouteCreated(database="Ventes", route=route("Entrepôt", "lyon")))
    told = explain(paris, dialog)
    assert told.then.decision.route is None
    assert (told.now.decision.route.name, told.is_same) == ("to Entrepôt by lyon", False)
    assert (told.retry.end, told.retry.address) == (RetryEnd.CONNECTS, "TCP://lyon:4022")


def test_312_why_a_message_was_sent_outlives_a_restart_and_later_decisions():
    """PARIS sends to LYON, which is down; the route goes, PARIS restarts: the first decision stays told."""
    world, paris, lyon = paris_and_lyon(route("Entrepôt", "lyon"))
    lyon.define(STOP)
    dialog = stuck(paris, "x")
    world.run(1)
    paris.define(RouteDropped(database="Ventes", name="to Entrepôt by lyon"))
    world.run(20)
    paris.kill()
    paris.start()
    world.run(20)
    told = explain(paris, dialog)
    assert told.then.decision.route.name == "to Entrepôt by lyon"
    assert EPOCH <= told.waits_since <= EPOCH + 1
    assert (told.now.decision.classification, told.retry.number) == (Classification.DELAYED, 9796)


def test_313_what_has_arrived_is_forgotten_with_its_way():
    world, paris, lyon = paris_and_lyon(route("Entrepôt", "lyon"))
    lyon.define(STOP)
    dialog = stuck(paris, "x")
    world.run(1)
    lyon.define(START)
    world.run(75)
    told = explain(paris, dialog)
    assert (told.waiting, told.then, told.waits_since, told.oldest) == (0, None, None, None)
    assert told.retry.end is RetryEnd.NOTHING_WAITS
    [rows] = [rows for rows in paris.store.load().databases if rows.name == "Ventes"]
    assert [endpoint.sent_by for endpoint in rows.endpoints] == [None]


def test_314_a_connection_that_is_left_alone_says_until_when():
    world, paris, lyon = paris_and_lyon(route("Entrepôt", "lyon"))
    lyon.define(STOP)
    dialog = stuck(paris, "x")
    world.run(1)
    outlook = explain(paris, dialog).retry
    assert (outlook.end, outlook.number, outlook.connection) == (RetryEnd.CONNECTS, 9754, LinkState.CLOSED)
    assert EPOCH + 55 < outlook.connects_at < EPOCH + 65


def test_315_over_a_connection_that_is_up_a_retry_is_sent():
    world, paris, _ = paris_and_lyon(route("Entrepôt", "lyon"))
    world.loses = lambda message: message.is_sequenced
    dialog = stuck(paris, "x")
    world.run(1)
    told = explain(paris, dialog)
    assert (told.retry.end, told.retry.connection, told.number) == (RetryEnd.SENT, LinkState.LOGGED_IN, None)
    assert (told.then.decision.route.name, told.waits_since) == ("to Entrepôt by lyon", None)


def test_316_our_own_endpoint_that_is_stopped_is_the_reason():
    _, paris, _ = paris_and_lyon(route("Entrepôt", "lyon"))
    paris.define(STOP)
    outlook = explain(paris, stuck(paris, "x")).retry
    assert (outlook.end, outlook.number) == (RetryEnd.WAITS, 9666)


def test_317_within_an_instance_the_database_is_told_and_one_that_is_off_is_the_reason():
    world = World()
    stock = world.database("Stock", ["Entrepôt"])
    paris = world.instance("PARIS", world.database("Ventes", ["Client"]), stock)
    paris.define(BrokerSwitched(database="Stock", is_enabled=False))
    dialog = stuck(paris, "x")
    told = explain(paris, dialog)
    assert told.retry.end is RetryEnd.WAITS
    assert told.retry.number is not None
    paris.define(BrokerSwitched(database="Stock", is_enabled=True))
    told = explain(paris, dialog)
    assert (told.retry.end, told.retry.database) == (RetryEnd.DELIVERED, "Stock")


def test_317a_the_question_of_a_reply_is_that_of_its_initiator():
    """LYON cannot answer PARIS: what is asked is the flow from PARIS."""
    world, paris, lyon = paris_and_lyon(route("Entrepôt", "lyon"))
    dialog = stuck(paris, "x")
    world.run(1)
    (answered,) = [row.conversation_handle for row in lyon.receive("Stock", "Entrepôt")]
    paris.define(STOP)
    lyon.say("Stock", answered, "y")
    world.run(1)
    catalogs = {node.instance.catalog.name: node.instance.catalog for node in (paris, lyon)}
    target = flow_of(explain(lyon, answered, "Stock"), "LYON", catalogs)
    initiator = flow_of(explain(paris, dialog), "PARIS", catalogs)
    for found in (target, initiator):
        assert (found.instance, found.database, found.service, found.to_service) == (
            "PARIS",
            "Ventes",
            "Client",
            "Entrepôt",
        )
    assert flow_of(explain(lyon, answered, "Stock"), "LYON", {"LYON": catalogs["LYON"]}) is None


def test_317b_of_a_conversation_that_is_over_nothing_is_asked():
    """LYON ends the conversation with an error while a message waits at PARIS: it stays there, whatever mends."""
    world, paris, lyon = paris_and_lyon(route("Entrepôt", "lyon"))
    dialog = stuck(paris, "x")
    world.run(1)
    (arrived,) = [row.conversation_handle for row in lyon.receive("Stock", "Entrepôt")]
    assert not isinstance(paris.define(RouteDropped(database="Ventes", name="to Entrepôt by lyon")), Refusal)
    paris.say("Ventes", dialog, "y")
    lyon.end("Stock", arrived, error_code=50001, error_description="no such order")
    world.run(1)
    told = explain(paris, dialog)
    assert (told.waiting, told.retry.end) == (1, RetryEnd.FROZEN)
    assert flow_of(told, "PARIS", {node.instance.catalog.name: node.instance.catalog for node in (paris, lyon)}) is None


def test_317c_the_recorded_decision_names_the_route_it_took_and_its_candidates():
    """LYON is stopped: what was sent by the route was sent by a candidate."""
    world, paris, lyon = paris_and_lyon(route("Entrepôt", "lyon"))
    lyon.define(STOP)
    dialog = stuck(paris, "x")
    world.run(2)
    then = explain(paris, dialog).then
    chosen = then.decision.route.name
    assert then.decision.candidates == (chosen,)
    assert "No route is a candidate." not in then.proof
    assert f"Candidates: {chosen}." in then.proof


def test_317d_what_was_recorded_without_candidates_says_so():
    """Rows of before candidates were recorded."""
    world, paris, lyon = paris_and_lyon(route("Entrepôt", "lyon"))
    lyon.define(STOP)
    dialog = stuck(paris, "x")
    world.run(2)
    decision = msgspec.structs.replace(explain(paris, dialog).then.decision, candidates=(), losses=())
    for language, words in (("en", "not recorded"), ("fr", "pas été enregistrées"), ("de", "nicht aufgezeichnet")):
        proof = "\n".join(proof_of(decision, Circumstances(target=DialogTarget("Entrepôt"), language=language)))
        assert words in proof
        assert decision.route.name in proof


def test_318_to_explain_takes_nobodys_turn():
    """Two equal routes take turns; whoever asks what would be does not shift them."""
    world = World()
    routes = [route("Entrepôt", "lyon"), route("Entrepôt", "lille")]
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], *routes))
    first = stuck(paris, "1")
    for _ in range(3):
        explain(paris, first)
    second = stuck(paris, "2")
    chosen = [explain(paris, each).then.decision.route.name for each in (first, second)]
    assert chosen == [each.name for each in routes]


def test_319_a_database_that_is_a_copy_now_is_not_written_by_whoever_had_it():
    """LYON steps down while a message is under way: why it waits is told, and the rows are the principal's."""
    world = MirroredWorld()
    world.loses = lambda message: not message.from_initiator
    world.settle()
    [arrived] = world.lyon.receive("Stock", "Entrepôt")
    world.lyon.say("Stock", arrived.conversation_handle, "answer")
    world.run(0.2)
    step_down(world.lyon)
    before = [rows for rows in world.lyon.store.load().databases if rows.name == "Stock"]
    world.run(100)
    assert world.lyon.statuses("Stock") != {None}
    assert [rows for rows in world.lyon.store.load().databases if rows.name == "Stock"] == before

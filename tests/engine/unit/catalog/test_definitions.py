"""What DDL may do to message types, contracts, queues and services, and with which number it is refused."""

import msgspec
import pytest

from engine.core.catalog.changes import (
    ActivationPatch,
    ContractCreated,
    ContractDropped,
    MessageTypeAltered,
    MessageTypeCreated,
    MessageTypeDropped,
    QueueAltered,
    QueueCreated,
    QueueDropped,
    ServiceAltered,
    ServiceCreated,
    ServiceDropped,
)
from engine.core.catalog.names import find_queue
from engine.core.catalog.objects import (
    DEFAULT_CONTRACT,
    DEFAULT_TYPE,
    END_DIALOG_TYPE,
    Activation,
    Contract,
    ContractUse,
    MessageType,
    Queue,
    SentBy,
    Service,
    Validation,
)
from engine.core.vocabulary.identifiers import (
    ContractName,
    MessageTypeName,
    QueueName,
    ServiceName,
)
from tests.support.catalogs import COMMANDES, FILE, LIVRAISON, ORDRE, VENTES, after, refusal_of, uses


class TestMessageTypes:
    @pytest.mark.parametrize(
        ("message_type", "number"),
        [
            (MessageType(ORDRE), 2714),
            (MessageType(DEFAULT_TYPE), 2714),
            (MessageType(MessageTypeName("Any")), 153),
            (MessageType(MessageTypeName("")), 1038),
            (MessageType(MessageTypeName("X"), Validation.VALID_XML), 153),
            (MessageType(MessageTypeName("X"), Validation.NONE, "dbo.Schéma"), 153),
        ],
    )
    def test_what_no_message_type_may_be(self, message_type: MessageType, number: int) -> None:
        assert refusal_of(MessageTypeCreated(database=VENTES, message_type=message_type)) == number

    def test_names_that_differ_in_letter_case_are_different_message_types(self) -> None:
        lower = MessageType(MessageTypeName("ordre"))
        created = after(MessageTypeCreated(database=VENTES, message_type=lower))
        assert {"Ordre", "ordre"} < created.message_types.keys()

    def test_alter_sets_the_validation(self) -> None:
        change = MessageTypeAltered(
            database=VENTES, name=ORDRE, validation=Validation.VALID_XML, schema_collection="dbo.Schéma"
        )
        assert after(change).message_types[ORDRE] == MessageType(ORDRE, Validation.VALID_XML, "dbo.Schéma")

    @pytest.mark.parametrize(
        ("name", "number"), [(DEFAULT_TYPE, 3708), (MessageTypeName("ordre"), 15151), (ORDRE, 3716)]
    )
    def test_drop_is_refused_for_built_in_absent_and_used_types(self, name: MessageTypeName, number: int) -> None:
        assert refusal_of(MessageTypeDropped(database=VENTES, name=name)) == number
        if number != 3716:
            altered = MessageTypeAltered(database=VENTES, name=name, validation=Validation.NONE)
            assert refusal_of(altered) == number


class TestContracts:
    @pytest.mark.parametrize(
        ("contract", "number"),
        [
            (Contract(LIVRAISON, uses(Ordre=SentBy.ANY)), 2714),
            (Contract(DEFAULT_CONTRACT, uses(Ordre=SentBy.ANY)), 2714),
            (Contract(ContractName("C"), ()), 8492),
            (Contract(ContractName("C"), uses(Ordre=SentBy.TARGET)), 8492),
            (Contract(ContractName("C"), uses(Ordre=SentBy.ANY) * 2), 8403),
            (Contract(ContractName("C"), uses(ordre=SentBy.ANY)), 15151),
            (Contract(ContractName("C"), (ContractUse(END_DIALOG_TYPE, SentBy.ANY),)), 153),
        ],
    )
    def test_what_no_contract_may_be(self, contract: Contract, number: int) -> None:
        assert refusal_of(ContractCreated(database=VENTES, contract=contract)) == number

    def test_the_default_type_is_always_there(self) -> None:
        contract = Contract(ContractName("C"), (ContractUse(DEFAULT_TYPE, SentBy.ANY),))
        assert after(ContractCreated(database=VENTES, contract=contract)).contracts[contract.name] == contract

    def test_the_order_of_its_types_says_nothing(self) -> None:
        one = Contract(ContractName("C"), uses(Ordre=SentBy.INITIATOR, Reçu=SentBy.TARGET))
        other = msgspec.structs.replace(one, uses=one.uses[::-1])
        assert after(ContractCreated(database=VENTES, contract=one)) == after(
            ContractCreated(database=VENTES, contract=other)
        )

    @pytest.mark.parametrize(
        ("name", "number"), [(LIVRAISON, 3716), (DEFAULT_CONTRACT, 3708), (ContractName("livraison"), 15151)]
    )
    def test_drop_is_refused_for_used_built_in_and_absent_contracts(self, name: ContractName, number: int) -> None:
        assert refusal_of(ContractDropped(database=VENTES, name=name)) == number


class TestQueues:
    def test_a_queue_without_schema_belongs_to_dbo(self) -> None:
        assert list(after().queues) == [FILE]

    def test_a_queue_is_found_in_any_letter_case_with_or_without_dbo(self) -> None:
        assert {find_queue(after(), name) for name in ("file", "DBO.File")} == {FILE}

    @pytest.mark.parametrize(
        ("queue", "number"),
        [
            (Queue(QueueName("dbo.FILE")), 2714),
            (Queue(QueueName("dbo.#File")), 153),
            (Queue(QueueName("dbo.")), 1038),
            (Queue(QueueName("q"), activation=Activation("dbo.Lire", 32768, "OWNER")), 9742),
            (Queue(QueueName("q"), activation=Activation("dbo.Lire", -1, "OWNER")), 9742),
            (Queue(QueueName("q"), activation=Activation("", 1, "OWNER")), 9614),
            (Queue(QueueName("q"), activation=Activation("dbo.Lire", 1, "")), 9613),
        ],
    )
    def test_what_no_queue_may_be(self, queue: Queue, number: int) -> None:
        assert refusal_of(QueueCreated(database=VENTES, queue=queue)) == number

    @pytest.mark.parametrize(
        ("patch", "number"),
        [
            (ActivationPatch(max_queue_readers=1, execute_as="OWNER"), 9614),
            (ActivationPatch(procedure_name="dbo.Lire", execute_as="OWNER"), 9620),
            (ActivationPatch(procedure_name="dbo.Lire", max_queue_readers=1), 9613),
        ],
    )
    def test_a_first_activation_needs_procedure_readers_and_user(self, patch: ActivationPatch, number: int) -> None:
        assert refusal_of(QueueAltered(database=VENTES, name=FILE, activation=patch)) == number

    def test_an_added_procedure_does_not_by_itself_turn_activation_on(self) -> None:
        patch = ActivationPatch(procedure_name="dbo.Lire", max_queue_readers=2, execute_as="SELF")
        queue = after(QueueAltered(database=VENTES, name=FILE, activation=patch)).queues[FILE]
        assert queue.activation == Activation("dbo.Lire", 2, "SELF", is_enabled=False)

    def test_members_of_activation_that_are_not_given_stay(self) -> None:
        whole = ActivationPatch(procedure_name="dbo.Lire", max_queue_readers=2, execute_as="SELF", is_enabled=True)
        changes = (
            QueueAltered(database=VENTES, name=FILE, activation=whole),
            QueueAltered(database=VENTES, name=QueueName("FILE"), activation=ActivationPatch(max_queue_readers=5)),
        )
        assert after(*changes).queues[FILE].activation == Activation("dbo.Lire", 5, "SELF")
        dropped = QueueAltered(database=VENTES, name=FILE, drops_activation=True)
        assert after(*changes, dropped).queues[FILE].activation is None

    def test_switches_that_are_not_given_stay(self) -> None:
        off = QueueAltered(database=VENTES, name=FILE, is_enabled=False)
        retained = QueueAltered(database=VENTES, name=FILE, is_retention_enabled=True)
        assert after(off, retained).queues[FILE] == Queue(FILE, is_enabled=False, is_retention_enabled=True)

    def test_a_queue_that_a_service_uses_is_not_dropped(self) -> None:
        assert refusal_of(QueueDropped(database=VENTES, name=QueueName("file"))) == 3716
        free = after(ServiceDropped(database=VENTES, name=COMMANDES), QueueDropped(database=VENTES, name=FILE))
        assert free.queues == {}


class TestServices:
    def test_a_service_names_its_queue_as_the_queue_is_spelled(self) -> None:
        assert after().services[COMMANDES].queue == FILE

    @pytest.mark.parametrize(
        ("service", "number"),
        [
            (Service(COMMANDES, FILE), 2714),
            (Service(ServiceName("ANY"), FILE), 153),
            (Service(ServiceName("S"), QueueName("dbo.Nulle")), 15151),
            (Service(ServiceName("S"), FILE, (ContractName("livraison"),)), 15151),
            (Service(ServiceName("S"), FILE, (LIVRAISON, LIVRAISON)), 8404),
        ],
    )
    def test_what_no_service_may_be(self, service: Service, number: int) -> None:
        assert refusal_of(ServiceCreated(database=VENTES, service=service)) == number

    def test_names_that_differ_in_letter_case_are_different_services(self) -> None:
        upper = Service(ServiceName("COMMANDES"), FILE)
        assert len(after(ServiceCreated(database=VENTES, service=upper)).services) == 2

    @pytest.mark.parametrize(
        ("clauses", "number"),
        [
            ({}, 8493),
            ({"queue": QueueName("dbo.Nulle")}, 15151),
            ({"adds": (LIVRAISON,)}, 8404),
            ({"adds": (DEFAULT_CONTRACT, DEFAULT_CONTRACT)}, 8404),
            ({"drops": (DEFAULT_CONTRACT,)}, 15151),
            ({"drops": (LIVRAISON, LIVRAISON)}, 15151),
            ({"name": ServiceName("commandes"), "drops": (LIVRAISON,)}, 15151),
        ],
    )
    def test_what_alter_service_refuses(self, clauses: dict[str, object], number: int) -> None:
        change = ServiceAltered(**{"database": VENTES, "name": COMMANDES, **clauses})  # type: ignore[arg-type]
        assert refusal_of(change) == number

    def test_alter_moves_adds_and_drops(self) -> None:
        changes = (
            QueueCreated(database=VENTES, queue=Queue(QueueName("Autre"))),
            ServiceAltered(
                database=VENTES, name=COMMANDES, queue=QueueName("autre"), adds=(DEFAULT_CONTRACT,), drops=(LIVRAISON,)
            ),
        )
        assert after(*changes).services[COMMANDES] == Service(COMMANDES, QueueName("dbo.Autre"), (DEFAULT_CONTRACT,))

    def test_a_dropped_service_is_gone_and_an_absent_one_refused(self) -> None:
        assert after(ServiceDropped(database=VENTES, name=COMMANDES)).services == {}
        assert refusal_of(ServiceDropped(database=VENTES, name=ServiceName("commandes"))) == 15151

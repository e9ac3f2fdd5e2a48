"""Switches of an instance and of its databases."""

from __future__ import annotations

from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.names import fold
from brokerweb.topology.selectors.places import DatabasePlace, InstancePlace
from brokerweb.topology.services.endpoint import endpoint_of
from brokerweb.topology.services.revision import Proposal, change_decide
from brokerweb.topology.summaries import saying
from engine import api as engine


def endpoint_set_state(
    place: InstancePlace, state: str, *, user: User | None, expected_revision: int | None = None
) -> int:
    """ALTER ENDPOINT … STATE; answers the revision. Raises `ObjectNotFound` for an instance without endpoint."""
    wanted = engine.EndpointState(state)

    def propose(catalog: engine.InstanceCatalog) -> Proposal:
        endpoint = endpoint_of(place, catalog)
        if endpoint.state is wanted:
            return Proposal((), "")
        change = engine.EndpointAltered(name=endpoint.name, state=wanted)
        return Proposal(
            [change], saying("set-endpoint", name=endpoint.name, instance=place.instance, state=wanted.value)
        )

    return change_decide(place, propose, user=user, expected_revision=expected_revision)


def queue_set_activation(
    place: DatabasePlace, queue: str, *, is_enabled: bool, user: User | None, expected_revision: int | None = None
) -> int:
    """ALTER QUEUE … WITH ACTIVATION (STATUS = …); answers the revision.

    Raises `ObjectNotFound` for a queue that is not there or has no activation to switch.
    """
    database = engine.DatabaseName(place.database)

    def propose(catalog: engine.InstanceCatalog) -> Proposal:
        queues = catalog.databases[database].queues.values()
        found = next((each for each in queues if fold(each.name) == fold(queue)), None)
        if found is None or found.activation is None:
            raise ObjectNotFound(
                _("Queue {queue} of {database} has no activation.").format(queue=queue, database=place.database),
                why=_("Activation is switched on and off where the queue names a procedure."),
                cure=_("Define it in the queue's form, or with ALTER QUEUE … WITH ACTIVATION."),
            )
        if found.activation.is_enabled is is_enabled:
            return Proposal((), "")
        patch = engine.ActivationPatch(is_enabled=is_enabled)
        change = engine.QueueAltered(database=database, name=found.name, activation=patch)
        verb = "activate-queue" if is_enabled else "deactivate-queue"
        return Proposal([change], saying(verb, name=found.name, database=place.database, instance=place.instance))

    return change_decide(place.instance_place, propose, user=user, expected_revision=expected_revision)


def broker_renew(place: DatabasePlace, *, user: User | None, expected_revision: int | None = None) -> int:
    """ALTER DATABASE … SET NEW_BROKER; answers the revision. Raises the engine's `BrokerError` (9775, 9778)."""
    broker_instance = engine.BrokerInstanceId(engine.OperatingSystemEntropy().new_uuid())
    change = engine.BrokerRenewed(database=engine.DatabaseName(place.database), broker_instance=broker_instance)
    proposal = Proposal([change], saying("renew-broker", database=place.database, instance=place.instance))
    return change_decide(place.instance_place, lambda _: proposal, user=user, expected_revision=expected_revision)


def conversations_error(place: DatabasePlace, *, user: User | None, expected_revision: int | None = None) -> int:
    """ALTER DATABASE … SET ERROR_BROKER_CONVERSATIONS; answers the revision.

    Raises the engine's `BrokerError` (942, 954, 1468, 3906, 9772).
    """
    change = engine.BrokerConversationsErrored(database=engine.DatabaseName(place.database))
    proposal = Proposal([change], saying("error-conversations", database=place.database, instance=place.instance))
    return change_decide(place.instance_place, lambda _: proposal, user=user, expected_revision=expected_revision)


def broker_switch(
    place: DatabasePlace, *, is_enabled: bool, user: User | None, expected_revision: int | None = None
) -> int:
    """ALTER DATABASE … SET ENABLE_BROKER or DISABLE_BROKER; answers the revision."""
    database = engine.DatabaseName(place.database)

    def propose(catalog: engine.InstanceCatalog) -> Proposal:
        if catalog.databases[database].is_broker_enabled is is_enabled:
            return Proposal((), "")
        change = engine.BrokerSwitched(database=database, is_enabled=is_enabled)
        name = "enable-broker" if is_enabled else "disable-broker"
        return Proposal([change], saying(name, database=place.database, instance=place.instance))

    return change_decide(place.instance_place, propose, user=user, expected_revision=expected_revision)

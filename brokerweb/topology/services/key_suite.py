"""How the secure dialogs of an estate protect messages (`docs/protocol/security.md`)."""

from __future__ import annotations

import logging

from django.db import transaction

from brokerweb.accounts.models import User
from brokerweb.common.wakeups import wake_topology_watchers
from brokerweb.topology.models import Estate
from brokerweb.topology.services.decisions import decision_log
from brokerweb.topology.services.revision import estate_lock
from brokerweb.topology.summaries import saying
from engine import api as engine

logger = logging.getLogger(__name__)


def key_suite_set(estate_name: str, suite: str, *, user: User | None) -> list[str]:
    """Choose the suite; answers the instances that could not be told. They have it from their next change on.

    The log says who chose it. An instance that is told starts anew, so open transactions are rolled back; dialogs that
    have their key keep it. Raises `ObjectNotFound`.
    """
    wanted = engine.KeySuite(suite)
    estate = _chosen(estate_name, wanted, user)
    if estate is None:
        return []
    wake_topology_watchers(estate.name)
    untold = []
    for instance in estate.instances.filter(applied_revision__gt=0).order_by("name"):
        try:
            engine.open_instance(estate.name, instance.name, pace=estate.pace, key_suite=wanted, makes=False)
        except engine.EngineUnavailable:
            logger.warning("Instance %s could not be told of the suite %s.", instance, wanted, exc_info=True)
            untold.append(instance.name)
    return untold


@transaction.atomic
def _chosen(estate_name: str, wanted: engine.KeySuite, user: User | None) -> Estate | None:
    """The estate with the suite; None when it has it already."""
    estate = estate_lock(estate_name)
    if estate.key_suite == wanted:
        return None
    decision_log(estate, user=user, summary=saying("key-suite", suite=wanted.value, former=estate.key_suite))
    estate.key_suite = wanted
    estate.save(update_fields=["key_suite"])
    return estate

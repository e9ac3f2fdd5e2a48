"""How the secure dialogs of an estate protect messages (`docs/protocol/security.md`)."""

from __future__ import annotations

import logging

from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.common.wakeups import wake_topology_watchers
from brokerweb.topology.models import Estate
from engine import api as engine

logger = logging.getLogger(__name__)


def key_suite_set(estate_name: str, suite: str) -> list[str]:
    """Choose the suite; answers the instances that could not be told. They have it from their next change on.

    An instance that is told starts anew, so open transactions are rolled back; dialogs that have their key keep it.
    Raises `ObjectNotFound`.
    """
    wanted = engine.KeySuite(suite)
    estate = Estate.objects.filter(name=estate_name).first()
    if estate is None:
        raise ObjectNotFound(_("There is no estate {estate_name}.").format(estate_name=estate_name))
    if estate.key_suite == wanted:
        return []
    estate.key_suite = wanted
    estate.save(update_fields=["key_suite"])
    wake_topology_watchers(estate.name)
    untold = []
    for instance in estate.instances.filter(applied_revision__gt=0).order_by("name"):
        try:
            engine.open_instance(estate.name, instance.name, pace=estate.pace, key_suite=wanted)
        except engine.EngineUnavailable:
            logger.warning("Instance %s could not be told of the suite %s.", instance, wanted, exc_info=True)
            untold.append(instance.name)
    return untold

"""Partners of mirrored databases."""

from __future__ import annotations

from django.utils.translation import gettext as _

from brokerweb.common.errors import EngineRefused, ObjectNotFound
from brokerweb.topology.models import Database
from brokerweb.topology.selectors.places import DatabasePlace
from engine import api as engine


def partner_place(place: DatabasePlace) -> DatabasePlace:
    """The other half of a mirrored pair.

    Raises `EngineRefused` (1416) for a database that is not mirrored, `ObjectNotFound` when its partner is not in the
    estate.
    """
    row = Database.objects.get(instance__estate__name=place.estate, instance__name=place.instance, name=place.database)
    if row.partner_address is None:
        raise EngineRefused(engine.CatalogError(1416, database=row.name))
    partner = None
    if row.mirror_id is not None:
        partner = (
            Database.objects.filter(mirror_id=row.mirror_id)
            .exclude(pk=row.pk)
            .values_list("instance__name", "name")
            .first()
        )
    if partner is None:
        raise ObjectNotFound(
            _("No instance of estate {estate} has the partner of {name}.").format(estate=place.estate, name=row.name),
            why=_("{name} names {partner_address} as its partner; a pair has one broker id on two instances.").format(
                name=row.name, partner_address=row.partner_address
            ),
            cure=_("Restore a backup of the database on the other instance without recovery, and name this one there."),
        )
    return DatabasePlace(place.estate, *partner)

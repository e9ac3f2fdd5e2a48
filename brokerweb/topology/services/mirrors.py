"""Mirrored pairs, derived from the partners that databases name."""

from __future__ import annotations

from collections import defaultdict
from uuid import UUID

from brokerweb.topology.models import Database, Estate, Mirror


def mirrors_derive(estate: Estate) -> None:
    """Bring the estate's mirrors in line with its databases.

    A pair is two databases of one broker id, on two instances, that both name a partner (mirroring.md 1).
    """
    partners: dict[UUID, list[Database]] = defaultdict(list)
    for database in Database.objects.filter(instance__estate=estate, partner_address__isnull=False):
        partners[database.broker_instance].append(database)
    pairs = {key: found for key, found in partners.items() if len({database.instance_id for database in found}) > 1}
    estate.mirrors.exclude(broker_instance__in=pairs).delete()
    for broker_instance, databases in pairs.items():
        mirror, _ = Mirror.objects.update_or_create(
            estate=estate, broker_instance=broker_instance, defaults={"database_name": databases[0].name}
        )
        Database.objects.filter(mirror=mirror).exclude(pk__in=[database.pk for database in databases]).update(
            mirror=None
        )
        Database.objects.filter(pk__in=[database.pk for database in databases]).update(mirror=mirror)

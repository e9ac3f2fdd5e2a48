"""Certificates of the wanted topology."""

from __future__ import annotations

from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.models import Database
from brokerweb.topology.names import fold
from brokerweb.topology.security import security_from_json
from brokerweb.topology.selectors.places import DatabasePlace
from engine import api as engine


def certificate_of(place: DatabasePlace, name: str) -> engine.Certificate:
    """The certificate called `name` in any letter case; `ObjectNotFound` when there is none."""
    row = Database.objects.get(instance__estate__name=place.estate, instance__name=place.instance, name=place.database)
    for certificate in security_from_json(row.security).certificates:
        if fold(certificate.name) == fold(name):
            return certificate
    raise ObjectNotFound(
        _("Database {database} of {instance} has no certificate {name}.").format(
            database=place.database, instance=place.instance, name=name
        )
    )

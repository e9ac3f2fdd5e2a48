"""A role is handed from one partner to the other, so that never both have it by our doing (mirroring.md 3).

Where an answer does not come, nobody knows whether a command was carried out or will be yet. It is settled by asking
again under the same id for the opposite: an instance answers an id that it knows as it did the first time, and one that
it did not know it knows from then on, so that the first command, should it still be on its way, does nothing any more.
"""

from __future__ import annotations

from enum import Enum, auto
from uuid import UUID

from django.utils.translation import gettext as _

from brokerweb.common.errors import FailoverUncertain, FailoverUndone
from brokerweb.operations.services.commands import command_id, reply_to
from brokerweb.topology.selectors.places import DatabasePlace
from engine import api as engine

_OPPOSITE = {
    engine.MirroringRole.PRINCIPAL: engine.MirroringRole.MIRROR,
    engine.MirroringRole.MIRROR: engine.MirroringRole.PRINCIPAL,
}


class Given(Enum):
    """What became of a role that was to be given to a partner which has the opposite one."""

    YES = auto()
    NEVER = auto()
    """It has not, and will not when it answers again."""
    UNKNOWN = auto()
    """It may have it, or get it yet."""


def mirroring_role_set(
    place: DatabasePlace, key: UUID | None, role: engine.MirroringRole
) -> engine.replies.MirroringRoleSet:
    """Tell this partner alone which role it has, as in a forced service. Raises `EngineRefused` (153, 1416, 1455)."""
    command = engine.commands.SetMirroringRole(
        command_id=command_id(key), database=engine.DatabaseName(place.database), role=role
    )
    return reply_to(place, command, engine.replies.MirroringRoleSet)


def role_give(place: DatabasePlace, key: UUID, role: engine.MirroringRole) -> Given:
    """Give it, and settle what became of it where no answer comes. Raises `EngineRefused`."""
    try:
        mirroring_role_set(place, key, role)
    except engine.EngineUnavailable:
        return _settled(place, key, role)
    return Given.YES


def _settled(place: DatabasePlace, key: UUID, role: engine.MirroringRole) -> Given:
    try:
        has = mirroring_role_set(place, key, _OPPOSITE[role]).role
    except engine.EngineUnavailable:
        return Given.UNKNOWN
    return Given.YES if has is role else Given.NEVER


# ── in words ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def kept_problem(place: DatabasePlace, silent: DatabasePlace) -> FailoverUndone:
    """Every role is what it was; `silent` is the partner that did not answer."""
    return FailoverUndone(
        _("{silent} did not answer: {principal} is the principal of {database}, as before.").format(
            silent=silent.instance, principal=place.instance, database=place.database
        ),
        parameters={"silent": silent.instance, "database": place.database},
    )


def unknown_partner_problem(place: DatabasePlace, partner: DatabasePlace) -> FailoverUncertain:
    """The partner has everything, and it is not known whether it has the role; the old principal has let go of it."""
    return FailoverUncertain(
        _(
            "It is not known whether {partner} has become the principal of {database}: it did not answer. "
            "{instance} is the mirror copy and stays it, so that never both are principal. Messages wait, none is lost."
        ).format(partner=partner.instance, instance=place.instance, database=place.database),
        cure=_(
            "See which role {partner} has when it answers again. If it is principal, the failover is done. If it is "
            "the mirror copy, make it the principal by force: it has everything. Make {instance} the principal by "
            "force only if {partner} is lost."
        ).format(partner=partner.instance, instance=place.instance),
        parameters={"silent": partner.instance, "database": place.database},
    )


def unknown_principal_problem(place: DatabasePlace, partner: DatabasePlace) -> FailoverUncertain:
    """It is not known whether the old principal has its role; its partner has not got it."""
    return FailoverUncertain(
        _(
            "It is not known whether {instance} is the principal of {database} any more: it did not answer. {partner} "
            "is the mirror copy and stays it, so that never both are principal. No message is lost."
        ).format(partner=partner.instance, instance=place.instance, database=place.database),
        cure=_(
            "See which role {instance} has when it answers again. If it is principal, all is as before. If it is the "
            "mirror copy, make it the principal by force: it has everything."
        ).format(instance=place.instance),
        parameters={"silent": place.instance, "database": place.database},
    )

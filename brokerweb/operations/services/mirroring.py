"""Roles of mirrored databases: one partner told, or a planned failover of both (mirroring.md 3).

A role is no definition: what is wanted keeps saying who is the copy. The instances replicate nothing by themselves, so
a failover carries over what the principal has.
"""

from __future__ import annotations

from uuid import UUID, uuid5

import msgspec

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, FailoverUncertain, FailoverUndone
from brokerweb.operations.services.commands import command_id, reply_to
from brokerweb.operations.services.handover import (
    Given,
    kept_problem,
    mirroring_role_set,
    role_give,
    unknown_partner_problem,
    unknown_principal_problem,
)
from brokerweb.operations.services.noting import ENGINE_UNAVAILABLE, noted
from brokerweb.topology.deeds import Deed
from brokerweb.topology.selectors.mirrors import partner_place
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.services.deeds import deeds_note
from brokerweb.topology.services.moves import Move, move_release, move_reserve, move_settle
from brokerweb.topology.summaries import saying
from engine import api as engine

_STEPS = 3
"""Revisions of the partner: apart, restored, a copy again."""


class FailedOver(msgspec.Struct, frozen=True):
    """Who has which role now."""

    principal: DatabasePlace
    mirror: DatabasePlace


def mirroring_role_force(
    place: DatabasePlace, key: UUID | None, role: engine.MirroringRole, *, user: User | None
) -> engine.MirroringRole:
    """The same as somebody asks for it: the log has who gave which role. Raises `EngineUnavailable` beside."""
    before = _role_of(place)
    asked = Deed(
        instance=place.instance,
        database=place.database,
        kind="database",
        name=place.database,
        field="mirroring_role",
        before=before,
        after=role.value,
    )
    return noted(
        place.estate,
        asked,
        lambda: mirroring_role_set(place, key, role),
        lambda reply: (before, reply.role.value),
        user=user,
        summary=saying("force-role", database=place.database, instance=place.instance, role=role.value),
    ).role


def _role_of(place: DatabasePlace) -> str | None:
    """The role that the database has; None where it is not there or has no partner."""
    database = _database(place)
    if database is None or database.partner_address is None:
        return None
    is_mirror = database.state is engine.DatabaseState.MIRROR
    return (engine.MirroringRole.MIRROR if is_mirror else engine.MirroringRole.PRINCIPAL).value


def _database(place: DatabasePlace) -> engine.DatabaseView | None:
    view = engine.read_view(place.estate, place.instance, rows_max=0)
    return next((each for each in view.databases if each.name == place.database), None)


def failover(place: DatabasePlace, key: UUID | None, *, user: User | None) -> FailedOver:
    """SET PARTNER FAILOVER on the principal: its partner gets everything that it has, and then its role.

    Both are asked first, so that nothing happens when one is out of reach. When anything is refused on the way, the
    principal takes its role back; it does not where its partner may have it. Raises `EngineRefused` (1416 not mirrored,
    1470 not the principal, 1455, 3202), `ChangeUnderWay`, `ObjectNotFound` for a partner outside the estate,
    `EngineUnavailable` before anything was done, `FailoverUndone`, `FailoverUncertain`.
    """
    partner = partner_place(place)
    _check_principal(place, is_wanted=True)
    address = _check_principal(partner, is_wanted=False).partner_address
    summary = saying("fail-over", database=place.database, instance=place.instance, partner=partner.instance)
    move = move_reserve(partner.instance_place, user=user, expected_revision=None, summary=summary, steps=_STEPS)
    back = engine.PartnerSet(database=engine.DatabaseName(partner.database), partner_address=address)
    try:
        _hand_over(place, partner, move, back, command_id(key))
    except (FailoverUncertain, FailoverUndone) as error:
        silent = place if error.parameters["silent"] == place.instance else partner
        deeds_note(place.estate, [_unanswered(silent)], user=user, summary=summary)
        raise
    return FailedOver(principal=partner, mirror=place)


def _unanswered(place: DatabasePlace) -> Deed:
    return Deed(
        instance=place.instance,
        database=place.database,
        kind="database",
        name=place.database,
        field="problem",
        before=None,
        after=ENGINE_UNAVAILABLE,
    )


def _hand_over(
    place: DatabasePlace, partner: DatabasePlace, move: Move, back: engine.PartnerSet, key: engine.CommandId
) -> None:
    """The principal lets go of the role before its partner gets it, and takes it back only from who has not got it."""
    mirror, principal = engine.MirroringRole.MIRROR, engine.MirroringRole.PRINCIPAL
    try:
        let_go = role_give(place, key, mirror)
    except EngineRefused as error:
        move_release(move, str(error), [back])
        raise
    if let_go is not Given.YES:
        problem = unknown_principal_problem(place, partner)
        move_release(move, str(problem), [back])
        raise kept_problem(place, place) if let_go is Given.NEVER else problem
    asked = place
    try:
        tail = _tail(place)
        asked = partner
        _bring_up_to_date(partner, move, tail, back)
    except (EngineRefused, engine.EngineUnavailable) as error:
        move_release(move, str(error), [back])
        _take_back(place, partner, key)
        if isinstance(error, EngineRefused):
            raise
        raise kept_problem(place, asked) from error
    try:
        given = role_give(partner, uuid5(key, "partner"), principal)
    except EngineRefused:
        _take_back(place, partner, key)
        raise
    if given is Given.UNKNOWN:
        raise unknown_partner_problem(place, partner)
    if given is Given.NEVER:
        _take_back(place, partner, key)
        raise kept_problem(place, partner)


def _take_back(place: DatabasePlace, partner: DatabasePlace, key: engine.CommandId) -> None:
    """Principal again; nothing was given to the partner. Raises `FailoverUncertain`, also where nobody has the role."""
    if role_give(place, uuid5(key, "back"), engine.MirroringRole.PRINCIPAL) is not Given.YES:
        raise unknown_principal_problem(place, partner)


def _tail(place: DatabasePlace) -> engine.DatabaseBackup:
    """What the database has now that it takes nothing in any more."""
    command = engine.commands.BackupDatabase(command_id=command_id(None), database=engine.DatabaseName(place.database))
    return reply_to(place, command, engine.replies.DatabaseBackedUp).backup


def _bring_up_to_date(partner: DatabasePlace, move: Move, tail: engine.DatabaseBackup, back: engine.PartnerSet) -> None:
    """The copy is apart from its partner, restored without recovery, and a copy again (identity.md 4)."""
    database = engine.DatabaseName(partner.database)
    apart, restored = (engine.CatalogRevision(move.revision - before) for before in (2, 1))
    _apply(partner, move.base, apart, engine.PartnerSet(database=database, partner_address=None))
    command = engine.commands.RestoreDatabase(
        command_id=command_id(None),
        base=apart,
        revision=restored,
        database=database,
        backup=tail,
        is_recovered=False,
    )
    reply = reply_to(partner, command, engine.replies.DatabaseAttached)
    _apply(partner, restored, move.revision, back)

    def become(before: engine.InstanceCatalog) -> engine.InstanceCatalog:
        after = engine.attached_catalog(
            before,
            database,
            tail,
            broker_instance=reply.broker_instance,
            is_broker_enabled=reply.is_broker_enabled,
            is_recovered=False,
        )
        return engine.apply_changes(after, [back])

    move_settle(move, move.revision, become)


def _apply(
    place: DatabasePlace, base: engine.CatalogRevision, revision: engine.CatalogRevision, change: engine.CatalogChange
) -> None:
    command = engine.ApplyCatalog(command_id=command_id(None), base=base, revision=revision, changes=(change,))
    reply_to(place, command, engine.CatalogRevised)


def _check_principal(place: DatabasePlace, *, is_wanted: bool) -> engine.DatabaseView:
    """The database as it is, which has the role (1470)."""
    database = _database(place)
    if database is None:
        raise EngineRefused(engine.CatalogError(911, database=place.database))
    if (database.state is not engine.DatabaseState.MIRROR) is not is_wanted:
        raise EngineRefused(engine.CatalogError(1470, database=place.database, name=place.instance))
    return database

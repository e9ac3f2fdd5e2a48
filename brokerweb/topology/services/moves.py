"""A database comes to an instance or leaves it: the one kind of revision whose changes the instance decides.

An ordinary decision is written first and carried out later. What a restore makes of an identity is known only when
the instance has done it, so here a revision is reserved, the instance asked, and the revision filled with what became
of it. A reserved revision that comes to nothing stays in the history, empty, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from django.db import transaction
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import ChangeUnderWay
from brokerweb.common.languages import sentence
from brokerweb.common.outbox.services import outbox_append
from brokerweb.common.sayings import said_of
from brokerweb.topology.changes import changes_in_pieces
from brokerweb.topology.models import Estate, Instance, TopologyRevision
from brokerweb.topology.selectors.catalogs import instance_catalog
from brokerweb.topology.selectors.places import InstancePlace
from brokerweb.topology.services.announcing import revision_announce
from brokerweb.topology.services.decisions import SUMMARY_LENGTH_MAX, decision_fill, decision_log, decision_release
from brokerweb.topology.services.history import history_append, history_fill
from brokerweb.topology.services.mirrors import mirrors_derive
from brokerweb.topology.services.revision import InstanceStep, estate_lock, revision_check
from brokerweb.topology.services.rows import catalog_write
from brokerweb.topology.summaries import kept, saying
from engine import api as engine


class Move(msgspec.Struct, frozen=True):
    """A reserved revision of an instance, and the one that the instance has until then."""

    place: InstancePlace
    base: engine.CatalogRevision
    revision: engine.CatalogRevision


@transaction.atomic
def move_reserve(
    place: InstancePlace, *, user: User | None, expected_revision: int | None, summary: str, steps: int = 1
) -> Move:
    """The next revision, which nobody else gets; with several `steps` the last of as many numbers.

    Raises `RevisionConflict`, `ChangeUnderWay`, `ObjectNotFound`.
    """
    estate = estate_lock(place.estate)
    revision_check(estate, expected_revision)
    instance = Instance.objects.get(estate=estate, name=place.instance)
    if instance.applied_revision != instance.desired_revision:
        refused = (
            _(" It was refused: {error}").format(error=sentence(instance.apply_error)) if instance.apply_error else ""
        )
        raise ChangeUnderWay(
            _(
                "{instance} has revision {applied_revision}, and revision {desired_revision} is "
                "on its way to it.{refused}"
            ).format(
                instance=place.instance,
                applied_revision=instance.applied_revision,
                desired_revision=instance.desired_revision,
                refused=refused,
            )
        )
    move = Move(
        place, engine.CatalogRevision(instance.desired_revision), engine.CatalogRevision(estate.revision + steps)
    )
    estate.revision = instance.desired_revision = move.revision
    estate.save(update_fields=["revision"])
    instance.save(update_fields=["desired_revision"])
    history_append(estate, move.revision, [(place.instance, ())], user=user, summary=summary)
    decision_log(estate, user=user, summary=summary, revision=move.revision, is_reserved=True)
    return move


@transaction.atomic
def move_settle(
    move: Move, has: engine.CatalogRevision, become: Callable[[engine.InstanceCatalog], engine.InstanceCatalog]
) -> None:
    """The instance has done it and is at revision `has`: what `become` makes of its catalog is what is wanted now.

    `has` is an earlier revision when the reply to a command that was repeated was remembered.
    """
    estate = estate_lock(move.place.estate)
    instance = Instance.objects.get(estate=estate, name=move.place.instance)
    before = instance_catalog(instance)
    after = become(before)
    catalog_write(instance, before, after)
    changes = engine.diff_catalogs(before, after)
    row = TopologyRevision.objects.get(estate=estate, number=move.revision)
    history_fill(row, [(move.place.instance, changes)])
    decision_fill(estate, move.revision, InstanceStep(instance, before, after, changes))
    estate.settled_count += 1
    estate.save(update_fields=["settled_count"])
    mirrors_derive(estate)
    if has == move.revision:
        Instance.objects.filter(pk=instance.pk, applied_revision__lt=has).update(applied_revision=has, apply_error="")
        transaction.on_commit(lambda: revision_announce(estate.name))
    else:
        _number_only(estate, move, has)


@transaction.atomic
def move_release(move: Move, reason: str, amends: Sequence[engine.CatalogChange] = ()) -> None:
    """It came to nothing, or nobody knows: the instance gets the number, so that later revisions follow on it.

    `amends` are what puts right, wherever the instance has stopped, what was to be put right at the end anyhow.
    """
    estate = estate_lock(move.place.estate)
    row = TopologyRevision.objects.get(estate=estate, number=move.revision)
    summary = saying("not-done", summary=kept(row), reason=reason)
    row.summary, row.said = summary[:SUMMARY_LENGTH_MAX], said_of(summary)
    history_fill(row, [(move.place.instance, amends)])
    decision_release(estate, move.revision, summary)
    _number_only(estate, move, move.base, amends)


def _number_only(estate: Estate, move: Move, base: int, amends: Sequence[engine.CatalogChange] = ()) -> None:
    """The number is on its way to the instance, on top of `base`; harmless to one that has it already."""
    outbox_append(
        estate_name=estate.name,
        instance_name=move.place.instance,
        base_revision=base,
        revision=move.revision,
        changes=changes_in_pieces(amends),
    )
    transaction.on_commit(lambda: revision_announce(estate.name))

"""Groups of people whose progress a trainer follows. They are a trainer's own; members need not do anything."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import GroupNameTaken, ObjectNotFound
from brokerweb.training.models import TrainingGroup
from brokerweb.training.selectors.progress import group_of


def group_create(trainer: User, name: str, members: Sequence[str]) -> TrainingGroup:
    """A group of people by their names. Raises `ObjectNotFound` for a name of nobody, `GroupNameTaken`."""
    people = _people(members)
    try:
        with transaction.atomic():
            group = TrainingGroup.objects.create(trainer=trainer, name=name)
            group.members.set(people)
    except IntegrityError:
        raise _taken(name) from None
    return group


def group_update(trainer: User, pk: int, name: str, members: Sequence[str]) -> TrainingGroup:
    """Another name and other members. Raises `ObjectNotFound`, `GroupNameTaken`."""
    people = _people(members)
    try:
        with transaction.atomic():
            group = group_of(trainer, pk, locks=True)
            group.name = name
            group.save(update_fields=["name"])
            group.members.set(people)
    except IntegrityError:
        raise _taken(name) from None
    return group


@transaction.atomic
def group_delete(trainer: User, pk: int) -> None:
    """Follow the group no more; what its members have done stays. Raises `ObjectNotFound`."""
    group_of(trainer, pk, locks=True).delete()


def _people(names: Sequence[str]) -> list[User]:
    found = {each.username: each for each in User.objects.filter(username__in=names)}
    for at, name in enumerate(names):
        if name not in found:
            raise ObjectNotFound(
                _("There is no user {username}.").format(username=name),
                cure=_("Correct the name, or have an administrator make the account."),
                pointer=f"/members/{at}",
            )
    return list(found.values())


def _taken(name: str) -> GroupNameTaken:
    return GroupNameTaken(_("You have a group {name} already.").format(name=name), pointer="/name")

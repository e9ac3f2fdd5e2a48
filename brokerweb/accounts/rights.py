"""Roles and rights: one table, read by the API, the live view and the pages."""

from __future__ import annotations

from enum import StrEnum

from django.db import models


class Right(StrEnum):
    """What a person may be allowed to do."""

    VIEW = "view"
    """See estates and their live state, and of messages everything but their bodies."""
    READ_PAYLOADS = "read-payloads"
    """Read the bodies of messages. No role includes it: it is given to a person, whatever their role."""
    OPERATE = "operate"
    """Begin dialogs, send and receive messages, start and stop endpoints."""
    EDIT = "edit"
    """Change the wanted topology: routes, broker switches, imports, samples."""
    TRAIN = "train"
    """Prepare and lead exercises."""
    ADMINISTER = "administer"
    """Manage users and see everything kept."""


class Role(models.TextChoices):
    """What a person is; decides their rights."""

    VIEWER = "viewer", "Viewer"
    OPERATOR = "operator", "Operator"
    EDITOR = "editor", "Editor"
    TRAINER = "trainer", "Trainer"
    ADMIN = "admin", "Admin"


RIGHTS: dict[Role, frozenset[Right]] = {
    Role.VIEWER: frozenset({Right.VIEW}),
    Role.OPERATOR: frozenset({Right.VIEW, Right.OPERATE}),
    Role.EDITOR: frozenset({Right.VIEW, Right.OPERATE, Right.EDIT}),
    Role.TRAINER: frozenset({Right.VIEW, Right.OPERATE, Right.EDIT, Right.TRAIN}),
    Role.ADMIN: frozenset({Right.VIEW, Right.OPERATE, Right.EDIT, Right.TRAIN, Right.ADMINISTER}),
}


def roles_with(right: Right) -> tuple[Role, ...]:
    """The roles that include `right`, weakest first; none for what is given to persons."""
    return tuple(role for role in Role if right in RIGHTS[role])


def rights_of(role: Role, *, reads_payloads: bool) -> frozenset[Right]:
    """What somebody of a role may do, with or without the right to read payloads."""
    return RIGHTS[role] | {Right.READ_PAYLOADS} if reads_payloads else RIGHTS[role]

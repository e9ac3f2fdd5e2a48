"""The check that a person has a right, and why not."""

from __future__ import annotations

from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right, roles_with
from brokerweb.common.errors import RightMissing


def require(user: User, right: Right) -> None:
    """`RightMissing` if somebody has not a right, by role, by person or by the scopes of the token they use."""
    if right in user.rights:
        return
    if user.scopes is not None and right not in user.scopes:
        raise RightMissing(
            _("This needs the right {right}, which the token does not have among its scopes.").format(right=right),
            cure=_("Make a token with this scope, if it is meant to do this."),
        )
    if right is Right.READ_PAYLOADS:
        raise RightMissing(
            _("This needs the right {right}, which you have not been given.").format(right=right),
            why=_("No role includes reading the bodies of messages; it is given to persons."),
            cure=_("Ask an administrator for it."),
        )
    roles = ", ".join(roles_with(right))
    raise RightMissing(
        _("This needs the right {right}, which your role {role} does not include.").format(right=right, role=user.role),
        cure=_("Ask an administrator for one of the roles {roles}.").format(roles=roles),
    )

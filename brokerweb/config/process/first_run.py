"""What a fresh data directory needs before the first visit: somebody to log in as, and something to see."""

from __future__ import annotations

from django.db import transaction

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.services.imports import sample_load

ADMIN = "admin"
SAMPLE = "demo-fr-de"


@transaction.atomic
def prepare_first_run() -> None:
    """Make the administrator and load the sample estate, once: an estate that was removed later stays away."""
    if User.objects.exists():
        return
    admin = user_create(ADMIN, Role.ADMIN, reads_payloads=True)
    sample_load(SAMPLE, user=admin)


def local_administrator() -> User:
    """Whom the link that `run` prints logs in: the first administrator whose account is on."""
    administrators = User.objects.filter(role=Role.ADMIN, is_active=True).order_by("id")
    return administrators.first() or user_create(_free_name(), Role.ADMIN, reads_payloads=True)


def _free_name() -> str:
    """Whoever can start the process owns its data; every administrator switched off must not lock them out."""
    taken = set(User.objects.filter(username__startswith=ADMIN).values_list("username", flat=True))
    return next(name for number in range(1, len(taken) + 2) if (name := f"{ADMIN}-{number}") not in taken)

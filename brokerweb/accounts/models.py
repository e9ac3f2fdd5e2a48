"""Users with a role, and the one-time links that log them in."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models

from brokerweb.accounts.rights import RIGHTS, Right, Role


class RoleUserManager(UserManager):
    """Django's manager; what `manage.py createsuperuser` makes is an administrator here too."""

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: Any
    ) -> User:
        fields.setdefault("role", Role.ADMIN)
        return super().create_superuser(username, email, password, **fields)


class User(AbstractUser):
    """A person who uses the dashboard. The role decides the rights; Django's own groups are not used."""

    role = models.CharField(max_length=16, choices=Role, default=Role.VIEWER)

    objects = RoleUserManager()

    @property
    def rights(self) -> frozenset[Right]:
        """What this person may do; nothing once the account is switched off."""
        return RIGHTS[Role(self.role)] if self.is_active else frozenset()


class LoginLink(models.Model):
    """A link that logs its user in once. Only a hash of its token is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="login_links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"{self.user} {self.created_at:%Y-%m-%d %H:%M:%S}"

"""Users with a role, what logs them in (one-time links, tokens of scripts), and who changed which account."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.utils.crypto import salted_hmac

from brokerweb.accounts.rights import Right, Role, rights_of
from brokerweb.common.database import release_connection

UTC = "UTC"
BROWSER_ZONE = "browser"
"""The time zone of whatever browser is used."""


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
    reads_payloads = models.BooleanField(
        default=False, verbose_name="reads payloads", help_text="May read the bodies of messages, whatever the role."
    )
    language = models.CharField(max_length=8, blank=True, default="")
    """Of the pages; empty is the language of the browser."""
    time_zone = models.CharField(max_length=64, default=UTC)
    """In which times are shown: a name of the IANA database, or `BROWSER_ZONE`."""
    theme = models.CharField(max_length=8, default="auto")
    hidden_layers = models.JSONField(default=list, blank=True)
    """What the canvas leaves out, as a list of names; they are those of the pages."""

    session_generation = models.PositiveIntegerField(default=0)
    """How often all sessions of the account were ended; a session of an earlier generation is not valid again."""

    objects = RoleUserManager()

    scopes: frozenset[Right] | None = None
    """To what a token narrows the rights while its request is answered; None with a session."""

    @property
    def rights(self) -> frozenset[Right]:
        """What this person may do; nothing once the account is switched off."""
        if not self.is_active:
            return frozenset()
        rights = rights_of(Role(self.role), reads_payloads=self.reads_payloads)
        return rights if self.scopes is None else rights & self.scopes

    def set_password(self, raw_password: str | None) -> None:
        """Hash a password; the database's connection is not held meanwhile, outside of a transaction."""
        release_connection()
        super().set_password(raw_password)

    def check_password(self, raw_password: str) -> bool:
        """Whether it is the password; the database's connection is not held meanwhile, outside of a transaction."""
        release_connection()
        return super().check_password(raw_password)

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """The proof in a session that it is still valid: of the password, as Django has it, and of the generation."""
        of_password: str = super()._get_session_auth_hash(secret)
        if self.session_generation == 0:
            return of_password
        value = f"{of_password}:{self.session_generation}"
        return salted_hmac("brokerweb.accounts.sessions", value, secret=secret, algorithm="sha256").hexdigest()


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


class ApiToken(models.Model):
    """A person's key for their scripts. It carries at most the rights of `scopes`; only a hash of it is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    """What it is for, in its owner's words."""
    beginning = models.CharField(max_length=16)
    """Its first characters, by which a token that was found somewhere is told."""
    token_hash = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField()
    """Rights, a list of texts."""
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    """To the minute."""

    class Meta:
        ordering = ("-created_at", "-id")

    def __str__(self) -> str:
        return f"{self.user} {self.name}"


class AttemptCount(models.Model):
    """How many attempts one name, address or browser has made since its window of time began."""

    key = models.CharField(max_length=64, primary_key=True)
    """A hash of what is counted."""
    count = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.key}: {self.count}"


class AccountChange(models.Model):
    """One thing that was done to an account. Names are kept as texts: they outlive the accounts."""

    changed_at = models.DateTimeField()
    author = models.CharField(max_length=150, blank=True)
    """Empty when it was done on the server's command line."""
    username = models.CharField(max_length=150)
    what = models.CharField(max_length=32)
    before = models.CharField(max_length=150, blank=True)
    after = models.CharField(max_length=150, blank=True)
    client_address = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.username}: {self.what}"

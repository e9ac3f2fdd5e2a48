"""Estates, instances, databases, and the mirrored pairs that their partners form."""

from __future__ import annotations

from django.db import models


class Estate(models.Model):
    """A modelled network of instances. `revision` numbers its wanted state and is what edits are checked against."""

    name = models.CharField(max_length=64, unique=True)
    pace = models.FloatField(default=1.0)
    """Factor by which the protocol's waiting times are shortened; 1 is the documented pace."""
    key_suite = models.CharField(max_length=16, default="md5")
    """How secure dialogs protect messages: `md5`, as documented, or `aes-256-gcm`."""
    revision = models.PositiveIntegerField(default=0)
    settled_count = models.PositiveIntegerField(default=0)
    """Revisions that were filled after they were numbered; with the number it tells states of the estate apart."""

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Instance(models.Model):
    """A server process of an estate. Wanted and applied revision differ while a change is on its way: drift."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="instances")
    name = models.CharField(max_length=128)
    folded_name = models.CharField(max_length=384)
    host_names = models.JSONField(default=list)
    security = models.JSONField(default=dict)
    """Logins, and who may connect to the endpoint."""
    desired_revision = models.PositiveIntegerField(default=0)
    """The last revision of the estate that changed this instance."""
    applied_revision = models.PositiveIntegerField(default=0)
    """The revision that the engine last said it has."""
    apply_error = models.TextField(blank=True)
    """Why the engine does not have the wanted revision, if it was asked and refused."""

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(fields=("estate", "folded_name"), name="instance_name_unique_in_estate"),
        )

    def __str__(self) -> str:
        return self.name


class Mirror(models.Model):
    """A mirrored pair: databases of one broker id that name each other's instance as partner."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="mirrors")
    database_name = models.CharField(max_length=128)
    broker_instance = models.UUIDField()

    class Meta:
        ordering = ("database_name",)
        constraints = (
            models.UniqueConstraint(fields=("estate", "broker_instance"), name="mirror_one_per_broker_instance"),
        )

    def __str__(self) -> str:
        return f"{self.database_name} ({self.broker_instance})"


class Database(models.Model):
    """A database of an instance: one broker, named by its `service_broker_guid`."""

    instance = models.ForeignKey(Instance, on_delete=models.CASCADE, related_name="databases")
    name = models.CharField(max_length=128)
    folded_name = models.CharField(max_length=384)
    broker_instance = models.UUIDField()
    is_broker_enabled = models.BooleanField(default=True)
    state = models.CharField(max_length=16)
    partner_address = models.CharField(max_length=256, null=True, blank=True)  # noqa: DJ001 None: no partner
    security = models.JSONField(default=dict)
    """Users, certificates, remote service bindings and the master key; keys in it are sealed."""
    reading = models.JSONField(default=dict)
    """Conversation priorities, whether sending goes by them, and event notifications."""
    mirror = models.ForeignKey(Mirror, on_delete=models.SET_NULL, null=True, blank=True, related_name="databases")

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(fields=("instance", "folded_name"), name="database_name_unique_in_instance"),
        )
        indexes = (models.Index(fields=("broker_instance",)),)

    def __str__(self) -> str:
        return f"{self.instance}.{self.name}"

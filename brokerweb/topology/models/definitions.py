"""What is defined in a database, and the endpoint of an instance.

Contracts and message types are referred to by name, not by key: the built-in ones (`DEFAULT`, the system message
types) exist everywhere without a row. That no reference dangles is the engine's check.
"""

from __future__ import annotations

from django.db import models

from brokerweb.topology.models.estates import Database, Instance

SERVICE_BROKER_NAME_LENGTH = 256
"""Service, contract and message type names travel; the vendor keeps them as nvarchar(256)."""


class MessageType(models.Model):
    """A name for a kind of message, and how its body is validated."""

    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="message_types")
    name = models.CharField(max_length=SERVICE_BROKER_NAME_LENGTH)
    validation = models.CharField(max_length=16)
    schema_collection = models.CharField(max_length=256, null=True, blank=True)  # noqa: DJ001 None: no schema

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("database", "name"), name="message_type_unique_in_database"),)

    def __str__(self) -> str:
        return self.name


class Contract(models.Model):
    """Which message types a conversation may carry, in which direction."""

    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="contracts")
    name = models.CharField(max_length=SERVICE_BROKER_NAME_LENGTH)

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("database", "name"), name="contract_unique_in_database"),)

    def __str__(self) -> str:
        return self.name


class ContractUse(models.Model):
    """One message type of a contract and who may send it."""

    contract = models.ForeignKey(Contract, on_delete=models.CASCADE, related_name="uses")
    position = models.PositiveIntegerField()
    message_type_name = models.CharField(max_length=SERVICE_BROKER_NAME_LENGTH)
    sent_by = models.CharField(max_length=16)

    class Meta:
        ordering = ("position",)
        constraints = (models.UniqueConstraint(fields=("contract", "message_type_name"), name="contract_use_unique"),)

    def __str__(self) -> str:
        return f"{self.message_type_name} sent by {self.sent_by}"


class Queue(models.Model):
    """A queue; its name carries the schema."""

    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="queues")
    name = models.CharField(max_length=257)
    folded_name = models.CharField(max_length=771)
    is_enabled = models.BooleanField(default=True)
    is_retention_enabled = models.BooleanField(default=False)
    is_poison_message_handling_enabled = models.BooleanField(default=True)
    activation = models.JSONField(null=True, blank=True)
    """The ACTIVATION clause as defined, or None."""

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(fields=("database", "folded_name"), name="queue_name_unique_in_database"),
        )

    def __str__(self) -> str:
        return self.name


class Service(models.Model):
    """An addressable name on a queue."""

    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="services")
    name = models.CharField(max_length=SERVICE_BROKER_NAME_LENGTH)
    queue = models.ForeignKey(Queue, on_delete=models.RESTRICT, related_name="services")
    owner = models.CharField(max_length=128, default="dbo")

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("database", "name"), name="service_unique_in_database"),)
        indexes = (models.Index(fields=("name",)),)

    def __str__(self) -> str:
        return self.name


class ServiceContract(models.Model):
    """A contract that a service accepts as target."""

    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="contracts")
    position = models.PositiveIntegerField()
    contract_name = models.CharField(max_length=SERVICE_BROKER_NAME_LENGTH)

    class Meta:
        ordering = ("position",)
        constraints = (models.UniqueConstraint(fields=("service", "contract_name"), name="service_contract_unique"),)

    def __str__(self) -> str:
        return self.contract_name


class AddressKind(models.TextChoices):
    """The three forms of a route's address."""

    LOCAL = "local", "LOCAL"
    TRANSPORT = "transport", "TRANSPORT"
    TCP = "tcp", "TCP"


class Route(models.Model):
    """A row of `sys.routes`. An address is kept as it was typed, and as the host and port that are dialled."""

    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="routes")
    name = models.CharField(max_length=128)
    folded_name = models.CharField(max_length=384)
    service_name = models.CharField(  # noqa: DJ001 None: every service
        max_length=SERVICE_BROKER_NAME_LENGTH, null=True, blank=True
    )
    broker_instance = models.UUIDField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    address_kind = models.CharField(max_length=16, choices=AddressKind)
    address = models.CharField(max_length=256)
    address_host = models.CharField(max_length=256, blank=True)
    address_port = models.PositiveIntegerField(null=True, blank=True)
    mirror_address = models.CharField(max_length=256, null=True, blank=True)  # noqa: DJ001 None: not mirrored
    mirror_host = models.CharField(max_length=256, blank=True)
    mirror_port = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.UniqueConstraint(fields=("database", "folded_name"), name="route_name_unique_in_database"),
        )

    def __str__(self) -> str:
        return self.name


class Endpoint(models.Model):
    """The one broker endpoint of an instance."""

    instance = models.OneToOneField(Instance, on_delete=models.CASCADE, related_name="endpoint")
    name = models.CharField(max_length=128)
    port = models.PositiveIntegerField()
    state = models.CharField(max_length=16)
    listener_ip = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001 None: every address
    is_message_forwarding_enabled = models.BooleanField(default=False)
    message_forward_size_megabytes = models.PositiveIntegerField()
    authentication = models.CharField(max_length=256)
    encryption = models.CharField(max_length=256)

    def __str__(self) -> str:
        return f"{self.name}:{self.port}"

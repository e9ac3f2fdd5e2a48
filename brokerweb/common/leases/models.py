"""One table: the last owner of each instance, and how the instance was when its owner was heard of last."""

from __future__ import annotations

from django.db import models


class InstanceLease(models.Model):
    """A row stays when its instance is deleted: its fencing number must not fall when one of that name is made anew.

    Times are those of the database. Nothing here is changed but by `DjangoLeaseBook`.
    """

    estate_name = models.CharField(max_length=64)
    instance_name = models.CharField(max_length=128)
    fence = models.PositiveBigIntegerField(default=0)
    """Fencing number of the last owner; rises by one with each."""
    holder = models.CharField(max_length=256, blank=True)
    """Empty when the lease was given back."""
    since = models.DateTimeField(null=True, blank=True)
    renewed_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    is_closed = models.BooleanField(default=False)
    """Whether nobody is to host the instance until it is opened again."""
    figures = models.JSONField(null=True, blank=True)
    """The engine's `InstanceFigures`, as of `renewed_at`."""

    class Meta:
        ordering = ("estate_name", "instance_name")
        constraints = (
            models.UniqueConstraint(fields=("estate_name", "instance_name"), name="lease_one_for_each_instance"),
        )

    def __str__(self) -> str:
        return f"{self.estate_name}/{self.instance_name} {self.fence}"

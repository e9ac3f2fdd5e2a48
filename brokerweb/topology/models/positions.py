"""Where somebody has put the boxes of the drawing: annotations, beside the topology and its revisions."""

from __future__ import annotations

from django.db import models

from brokerweb.topology.models.estates import Estate

NODE_LENGTH = 2000
"""Of a box's id: two names of 128 characters, each up to four bytes that are written as three characters."""


class NodePosition(models.Model):
    """The place of one box. Whoever writes last is right; nothing of the estate refers to it."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="node_positions")
    node = models.CharField(max_length=NODE_LENGTH)
    """Id of the box as the front end draws it, such as `instance/PARIS`; it may have gone meanwhile."""
    x = models.FloatField()
    y = models.FloatField()

    class Meta:
        ordering = ("node",)
        constraints = (models.UniqueConstraint(fields=("estate", "node"), name="node_position_unique_in_estate"),)

    def __str__(self) -> str:
        return f"{self.node} at {self.x}, {self.y}"

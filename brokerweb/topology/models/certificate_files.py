"""Certificate files that scripts have written for the instances of an estate to read: beside the topology."""

from __future__ import annotations

from django.db import models

from brokerweb.topology.models.estates import Estate

PATH_LENGTH = 260


class CertificateFile(models.Model):
    """One file: a certificate (X.509, DER), or a private key under the service key and a password. Never changed."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="certificate_files")
    path = models.CharField(max_length=PATH_LENGTH)
    """As the script writes it."""
    folded_path = models.CharField(max_length=PATH_LENGTH)
    """By which the engine finds it: letter case and kind of slash do not count."""
    content = models.BinaryField()

    class Meta:
        ordering = ("folded_path",)
        constraints = (
            models.UniqueConstraint(fields=("estate", "folded_path"), name="certificate_file_unique_in_estate"),
        )

    def __str__(self) -> str:
        return self.path

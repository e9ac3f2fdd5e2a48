from __future__ import annotations

from django.apps import AppConfig


class TrainingConfig(AppConfig):
    name = "brokerweb.training"
    label = "training"
    verbose_name = "Training"

    def ready(self) -> None:
        """The sandboxes of sessions are private estates."""
        from brokerweb.topology.private_estates import keep_private_estates
        from brokerweb.training.services.private_estates import SandboxesOfSessions

        keep_private_estates(SandboxesOfSessions())

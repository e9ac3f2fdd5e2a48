"""`manage.py reset`: remove the data of this installation, so that the next start begins anew."""

from __future__ import annotations

from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import CommandError

from brokerweb.common.numbered_command import REFUSED, UNUSABLE, NumberedCommand, numbered
from brokerweb.config.process.lock import AlreadyRunning
from brokerweb.config.process.reset import reset_data

IN_USE, FILE_STAYS = 3702, 5159


class Command(NumberedCommand):
    help = "Remove the local database, the engine's stores, the log and the key; refuses while brokerweb runs on them."
    # Nothing of the project is needed to remove its data, least of all a database in order.
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        environment = settings.ENVIRONMENT
        if environment.database_url is not None:
            _refuse(
                UNUSABLE,
                "DATABASE_URL names a database outside of the data folder, which this command does not touch; alone, "
                "the engine's stores would no longer fit to it. Nothing was removed. Empty that database by its own "
                f"means and remove {environment.engine_directory}, or unset DATABASE_URL.",
            )
        if environment.engine_store_url is not None:
            _refuse(
                UNUSABLE,
                "ENGINE_STORE_URL names a database outside of the data folder, which this command does not touch; "
                "alone, the dashboard would forget instances that go on there. Nothing was removed. Drop the schemas "
                "broker_* of that database by its own means and unset ENGINE_STORE_URL.",
            )
        try:
            had_data = reset_data(environment.data_directory)
        except AlreadyRunning as refusal:
            _refuse(IN_USE, str(refusal), refusal)
        except OSError as error:
            _refuse(
                FILE_STAYS,
                f"{error.filename} could not be removed: {error.strerror}. Some of the data may be gone already. "
                "See that this user may write there, then try again.",
                error,
            )
        self.stdout.write(
            f"The data in {environment.data_directory} are removed: the next start begins with a fresh sample estate."
            if had_data
            else f"There are no data in {environment.data_directory}; nothing is left to remove."
        )


def _refuse(number: int, text: str, cause: Exception | None = None) -> NoReturn:
    raise CommandError(numbered(number, text), returncode=REFUSED) from cause

"""The Celery queue of tasks that need the web's database."""

from typing import Final

WEB_QUEUE: Final = "live"

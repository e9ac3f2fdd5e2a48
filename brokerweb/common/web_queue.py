"""The Celery queues of tasks that need the web's database."""

from typing import Final

WEB_QUEUE: Final = "live"
SPARK_QUEUE: Final = "spark"
"""Tasks that need the extra `spark` as well, and memory for a Java; jobs on it are done one at a time by a worker."""

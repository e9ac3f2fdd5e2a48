"""Entry of Celery's own commands: `celery -A brokerweb.config.celery worker …`.

Setting Django up configures the application (`config.apps`); here it only gets the name that Celery looks for.
"""

from __future__ import annotations

import os

import django

from brokerweb.config.process.descriptors import raise_descriptor_limit
from brokerweb.config.process.refusal import ends_with_a_sentence

raise_descriptor_limit()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerweb.config.settings.dev")
# Django's checks load every page and the whole API, 42 MiB that no worker needs; `manage.py` has made them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
with ends_with_a_sentence():
    django.setup()

    from django.conf import settings

    from brokerweb.config.data_directory import ensure_no_restore
    from brokerweb.config.engine import require_service_key

    ensure_no_restore(settings.ENVIRONMENT.data_directory)
    require_service_key()

from celery.signals import worker_shutting_down  # noqa: E402

from brokerweb.jobs.turns import jobs_stop  # noqa: E402
from engine.api import celery_app  # noqa: E402

worker_shutting_down.connect(lambda **_told: jobs_stop(), weak=False)

__all__ = ["celery_app"]

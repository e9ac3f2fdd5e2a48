"""The application of a worker whose leases last as long as a test needs."""

import os

import msgspec

from brokerweb.config.celery import celery_app
from engine.core.vocabulary.moment import Duration
from engine.hosting.app import configure

assert celery_app.hosting is not None
configure(msgspec.structs.replace(celery_app.hosting, lease_seconds=Duration(float(os.environ["LEASE_SECONDS"]))))

__all__ = ["celery_app"]

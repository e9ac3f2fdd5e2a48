"""Internal readers as Celery tasks: the instance counts them, workers of their own run them (ADR 21)."""

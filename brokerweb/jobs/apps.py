"""Registration with Django."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "brokerweb.jobs"
    label = "jobs"

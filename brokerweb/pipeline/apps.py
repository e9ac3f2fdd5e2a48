"""Registration with Django."""

from django.apps import AppConfig


class PipelineConfig(AppConfig):
    name = "brokerweb.pipeline"
    label = "pipeline"

from __future__ import annotations

from django.apps import AppConfig


class WhatIfConfig(AppConfig):
    name = "brokerweb.whatif"
    label = "whatif"
    verbose_name = "What-if"

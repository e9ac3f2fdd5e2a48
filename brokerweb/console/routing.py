"""The address of the console's websocket."""

from __future__ import annotations

from django.urls import path

from brokerweb.console.consumers import console_socket

websocket_urlpatterns = [path("ws/console", console_socket)]

"""Addresses of websockets."""

from __future__ import annotations

from django.urls import path

from brokerweb.live.consumers import LiveConsumer

websocket_urlpatterns = [path("ws/live", LiveConsumer.as_asgi())]

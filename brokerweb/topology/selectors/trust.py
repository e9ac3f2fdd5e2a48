"""Whom an instance shows itself as to its neighbours and whom it lets in, for the picture of an estate."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from engine import api as engine


def trust_picture(catalog: engine.InstanceCatalog, now: datetime) -> dict[str, Any]:
    """What an endpoint's form and inspector show beside its clauses."""
    trust = engine.trust_of(catalog, engine.UtcTime(now.timestamp()))
    shown = trust.shown
    return {
        "certificate": None
        if shown is None
        else {
            "name": shown.name,
            "hindrance": shown.hindrance,
            "validity": shown.validity,
            "starts_at": _time(shown.starts_at),
            "expires_at": _time(shown.expires_at),
        },
        "usable_certificates": list(trust.usable),
        "peers": [
            {
                "certificate": peer.certificate,
                "subject": peer.subject,
                "owner": peer.owner,
                "login": peer.login,
                "may_connect": peer.may_connect,
                "validity": peer.validity,
                "expires_at": _time(peer.expires_at),
            }
            for peer in trust.peers
        ],
        "lets_strangers_in": trust.lets_strangers_in,
        "connect_permissions": [
            {"grantee": each.grantee, "is_denied": each.is_denied} for each in catalog.connect_permissions.values()
        ],
    }


def _time(at: float | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, UTC)

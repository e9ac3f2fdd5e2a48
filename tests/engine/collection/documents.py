"""Documents of a server, as small as a test needs them."""

from typing import Any

GUID = "6F9619FF-8B86-D011-B42D-00C04FC964FF"


def route(name: str, address: str, **columns: Any) -> dict[str, Any]:
    return {"route_id": 65537, "name": name, "address": address, **columns}


def database(name: str = "Ventes", /, *, guid: str = GUID, **views: Any) -> dict[str, Any]:
    columns = {key: views.pop(key) for key in list(views) if not isinstance(views[key], list)}
    return {
        "database_id": 5, "name": name, "service_broker_guid": guid, "is_broker_enabled": True, "sys": views, **columns
    }  # fmt: skip


def document(*databases: dict[str, Any], **views: Any) -> dict[str, Any]:
    return {
        "format": "service-broker-collection",
        "format_version": 1,
        "server_name": "PARIS",
        "collected_at": "2026-01-01T00:00:00",
        "databases": [*databases, *([database(**views)] if views else [])],
    }


def queue(number: int, name: str, **columns: Any) -> dict[str, Any]:
    return {
        "object_id": number, "schema_id": 1, "name": name, "is_ms_shipped": False, "is_activation_enabled": False,
        "is_receive_enabled": True, "is_enqueue_enabled": True, "is_retention_enabled": False, **columns
    }  # fmt: skip

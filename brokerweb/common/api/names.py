"""Names in addresses. An object's name may hold any character, a slash too, so the last name takes the whole rest."""

from __future__ import annotations

ESTATE = "/estates/{estate}"
INSTANCE = ESTATE + "/instances/{path:instance}"
DATABASE = INSTANCE + "/databases/{path:database}"

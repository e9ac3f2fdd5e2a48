"""What the tests of the dashboard share: people of each role, and their browsers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create


class ApiClient(Client):
    """A browser that speaks JSON to the API."""

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        return self.generic(
            method,
            f"/api/v1{path}",
            b"" if body is None else self._encode_json(body, "application/json"),
            content_type="application/json",
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )


@pytest.fixture
def api_as(db: None) -> Callable[[Role], ApiClient]:
    """A browser in which somebody of a role is logged in."""

    def log_in(role: Role) -> ApiClient:
        client = ApiClient()
        client.force_login(user_create(f"the-{role}", role))
        return client

    return log_in


@pytest.fixture
def editor(api_as: Callable[[Role], ApiClient]) -> ApiClient:
    return api_as(Role.EDITOR)

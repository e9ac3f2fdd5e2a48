"""Which right each operation needs: the table, the code, and what really happens, for every role and operation."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from brokerweb.accounts.rights import RIGHTS, Right, Role
from brokerweb.accounts.services import user_create
from brokerweb.accounts.tokens import token_create
from brokerweb.config.api import api
from brokerweb.config.operation_rights import NEEDED, PAYLOADS, WEBSOCKETS, Known
from brokerweb.console.routing import websocket_urlpatterns as console_urlpatterns
from brokerweb.live.routing import websocket_urlpatterns
from tests.support.api_calls import api_document

pytestmark = pytest.mark.django_db

NOBODY, ANYBODY, IN_PERSON = Known.NOBODY, Known.ANYBODY, Known.IN_PERSON
TABLE = {name: needed for needed, names in NEEDED.items() for name in names}
OPERATIONS = {
    operation["operationId"]: (method.upper(), path)
    for path, operations in api_document()["paths"].items()
    for method, operation in operations.items()
}
# Names that no estate, user or object has: whoever passes the gate hears 404 or what is wrong with the request.
FILLED = {
    "job": "00000000-0000-4000-8000-00000000abcd",
    "handle": "00000000-0000-4000-8000-00000000abcd",
    "transaction": "00000000-0000-4000-8000-00000000abcd",
    "session": "00000000-0000-4000-8000-00000000abcd",
    "run": "00000000-0000-4000-8000-00000000abcd",
    "lesson": "forwarding",
    **dict.fromkeys(("assertion", "group", "number", "revision", "backup", "suppression", "token"), "999999"),
}


def enforced():
    """What the code asks of each operation: kinds of gates and the right they ask for."""
    for _, router in api._routers:
        for view in router.path_operations.values():
            for operation in view.operations:
                gates = operation.auth_callbacks or (router.auth if isinstance(router.auth, list) else [])
                yield operation.operation_id, {type(gate).__name__: gate.right for gate in gates}


def ask(client, name, **headers):
    method, path = OPERATIONS[name]
    address = re.sub(r"{(\w+)}", lambda found: FILLED.get(found[1], "no-such-thing"), path)
    body = None if method == "GET" else "{}"
    return client.generic(method, address, body or b"", content_type="application/json", headers=headers)


def is_refused(answer):
    """Whether the gate refused: by what it says, for a status alone may have other reasons."""
    return answer.status_code in (401, 403) and json.loads(answer.content)["code"] in (
        "unauthenticated",
        "right-missing",
    )


def test_every_operation_is_in_the_table_once():
    names = [name for names in NEEDED.values() for name in names]
    assert len(names) == len(set(names))
    assert sorted(names) == sorted(OPERATIONS), "brokerweb/config/operation_rights.py says which right each needs"
    assert set(PAYLOADS) <= set(names)


def test_the_code_asks_for_what_the_table_says():
    for name, gates in enforced():
        needed = TABLE[name]
        if needed is NOBODY:
            assert gates == {}, name
        elif needed is IN_PERSON:
            assert gates == {"Session": None}, name
        else:
            right = None if needed is ANYBODY else needed
            assert gates == {"Token": right, "Session": right}, name


def test_nobody_gets_anywhere_without_logging_in(client):
    for name in OPERATIONS:
        if TABLE[name] is not NOBODY:
            answer = ask(client, name)
            assert (name, answer.status_code) == (name, 401)
            assert answer.json()["code"] == "unauthenticated"


@pytest.mark.parametrize("role", Role)
def test_each_role_gets_as_far_as_its_rights(role):
    user = user_create("somebody", role)
    client = Client()
    for name in OPERATIONS:
        needed = TABLE[name]
        # Logging out is one of the operations.
        client.force_login(user)
        is_allowed = isinstance(needed, Known) or needed in RIGHTS[role]
        answer = ask(client, name)
        if needed is not NOBODY:
            assert (name, is_refused(answer)) == (name, not is_allowed), answer.content


def test_a_token_gets_as_far_as_its_scopes_and_never_makes_ways_in():
    admin = user_create("admin", Role.ADMIN, reads_payloads=True)
    for scope in Right:
        _, text = token_create(admin, scope, [scope], 1)
        for name in OPERATIONS:
            needed = TABLE[name]
            if needed is NOBODY:
                continue
            answer = ask(Client(), name, Authorization=f"Bearer {text}")
            is_allowed = needed is ANYBODY or needed is scope
            assert (scope, name, is_refused(answer)) == (scope, name, not is_allowed), answer.content


def test_what_is_switched_off_is_out_at_once():
    user = user_create("gone", Role.ADMIN)
    user_create("admin", Role.ADMIN)
    _, text = token_create(user, "script", [Right.VIEW], 1)
    client = Client()
    client.force_login(user)
    assert ask(client, "estates_list").status_code == 200
    assert ask(Client(), "estates_list", Authorization=f"Bearer {text}").status_code == 200
    type(user).objects.filter(pk=user.pk).update(is_active=False)
    assert ask(client, "estates_list").status_code == 401
    assert ask(Client(), "estates_list", Authorization=f"Bearer {text}").status_code == 401


def test_every_websocket_is_in_the_table():
    assert {str(each.pattern) for each in [*websocket_urlpatterns, *console_urlpatterns]} == WEBSOCKETS.keys()

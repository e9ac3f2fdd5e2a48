"""Every operation of the API keeps to the OpenAPI document, whatever it is asked and whoever asks (schemathesis).

By default few examples with a fixed seed; `make fuzz-api` tries many (API_EXAMPLES, API_SEED).
"""

from __future__ import annotations

import copy
import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Hypothesis looks for `numpy.ndarray` as soon as there is a module of that name. A thread of the product imports it
# otherwise while examples are drawn, and for a moment there is the one without the other.
import numpy as np  # noqa: F401
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from tests.api.conftest import client_of
from tests.api.names import Names
from tests.support.api_calls import ADDRESS, api_document, session_of

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
EXAMPLES = int(os.environ.get("API_EXAMPLES", "3"))
SHARES: Mapping[Role | None, int] = {
    None: EXAMPLES // 4 or 1,
    Role.VIEWER: EXAMPLES // 4 or 1,
    Role.OPERATOR: EXAMPLES // 4 or 1,
    Role.EDITOR: EXAMPLES // 2 or 1,
    Role.ADMIN: EXAMPLES,
}
"""So many of the requests to an operation are asked by each, the first ones. A role with few rights shows them in few
requests. The one with the most rights asks last: no other role could ask for what it has deleted."""
SEED = int(os.environ.get("API_SEED", "1"))
WAIT_SECONDS = "wait_seconds"
LAST = ("logout",)
"""Ends what the others need."""
REACHED_MIN = 0.4
"""Share of the operations that are to be carried out at least once."""
FILES = "multipart/form-data"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

DOCUMENT = api_document()
_CONFIG = schemathesis.Config.from_dict({"generation": {"with-security-parameters": False}})
SCHEMA = schemathesis.openapi.from_dict(copy.deepcopy(DOCUMENT), config=_CONFIG)


def operations() -> list[Any]:
    found = [each.ok() for each in SCHEMA.get_all_operations()]
    return sorted(found, key=lambda operation: (_name(operation) in LAST, operation.method == "delete"))


def _name(operation: Any) -> str:
    return str(operation.definition.raw["operationId"])


@st.composite
def requests_of(draw: st.DrawFn, operation: Any, names: Names) -> Any:
    """A request to an operation: valid or not, to something that there is or not."""
    mode = draw(st.sampled_from([GenerationMode.POSITIVE, GenerationMode.POSITIVE, GenerationMode.NEGATIVE]))
    first, *others = names.places
    place = draw(st.sampled_from([None, first, first, first, *others[:4]]))
    wanted = {each.name for each in operation.path_parameters}
    fixed = None if place is None else {name: value for name, value in place.items() if name in wanted}
    case = draw(operation.as_strategy(generation_mode=mode, path_parameters=fixed or None))
    # What is put in anew is held to the schema, where the bytes of a file are no text.
    if mode is GenerationMode.POSITIVE and not any(each.media_type == FILES for each in operation.body):
        case.body = _named(draw, case.body, names)
        case.query = _named(draw, case.query, names)
        revision = draw(st.sampled_from([None, None, None, '"2"', '"1-0"', '"1-1"']))
        if revision is not None:
            case.headers["If-Match"] = revision
    return case


def _named(draw: st.DrawFn, value: Any, names: Names) -> Any:
    """The same with real names in some of the fields that take one; waits are short."""
    if isinstance(value, list):
        return [_named(draw, each, names) for each in value]
    if not hasattr(value, "items"):
        return value
    for field, given_value in value.items():
        # A field that the schema leaves free may have the name by chance, and hold anything.
        if field == WAIT_SECONDS and isinstance(given_value, int | float):
            value[field] = min(given_value, 0.01)
        elif field in names.values and not isinstance(given_value, list | dict) and draw(st.integers(0, 3)):
            value[field] = draw(st.sampled_from(names.values[field]))
        else:
            value[field] = _named(draw, given_value, names)
    return value


@dataclass
class Asker:
    """A client that asks, logged in or not."""

    role: Role | None
    session: requests.Session
    reached: set[str]
    """Operations that did something for them."""

    def ask(self, operation: Any, case: Any) -> None:
        """Raises what is wrong with the answer, with a note that says who asked."""
        try:
            answer = case.call(base_url=ADDRESS, session=self.session)
            if answer.status_code < 300:
                self.reached.add(_name(operation))
            case.validate_response(answer, checks=CHECKS)
        except (AssertionError, BaseExceptionGroup) as wrong:
            wrong.add_note(f"asked by {self.role or 'a guest'}")
            raise


def askers() -> list[Asker]:
    found = []
    for role in SHARES:
        user: User | None = None
        if role is Role.ADMIN:
            user = User.objects.get(username="admin")
        elif role is not None:
            user = user_create(f"the-{role}", role)
        found.append(Asker(role, session_of(client_of(user)), set()))
    return found


def wrongs(operation: Any, names: Names, everybody: list[Asker]) -> str:
    """What is found to be wrong with an operation, nothing if all is well."""
    numbers = itertools.count()

    @seed(f"{SEED} {operation.label}")
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=requests_of(operation, names))
    def ask(case: Any) -> None:
        number = next(numbers)
        for asker in everybody:
            if number < SHARES[asker.role]:
                asker.ask(operation, case)

    try:
        ask()
    except BaseExceptionGroup as group:
        return f"{operation.label}: {group.exceptions} {_notes(group)}"
    except AssertionError as wrong:
        return f"{operation.label}: {wrong} {_notes(wrong)}"
    return ""


def _notes(wrong: BaseException) -> str:
    return "; ".join(getattr(wrong, "__notes__", ()))


@pytest.mark.timeout(0)
def test_no_request_breaks_the_contract_whoever_asks(names: Names) -> None:
    """A request is drawn once and asked by several: to draw one costs more than to answer it."""
    everybody = askers()
    asked = operations()
    found = [wrong for operation in asked if (wrong := wrongs(operation, names, everybody))]
    assert not found, f"{len(found)} operations:\n\n" + "\n\n".join(found)
    # Requests that are all refused would show nothing of what stands behind the refusal.
    [admin] = [each for each in everybody if each.role is Role.ADMIN]
    refused = sorted(_name(each) for each in asked if _name(each) not in admin.reached)
    assert len(refused) <= (1 - REACHED_MIN) * len(asked), refused


def test_methods_that_an_address_does_not_take_are_refused_with_those_that_it_takes(names: Names) -> None:
    client = client_of(User.objects.get(username="admin"))
    for path, taken in DOCUMENT["paths"].items():
        address = path.format_map(names.places[0])
        for method in METHODS:
            if method.lower() not in taken:
                answer = client.generic(method, address, b"{}", content_type="application/json")
                assert (method, path, answer.status_code) == (method, path, 405)
                assert answer.json()["code"] == "method-not-allowed"
                assert {each.strip().lower() for each in answer["Allow"].split(",")} >= set(taken)

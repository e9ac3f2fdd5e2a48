"""The OpenAPI document in the repository is the one of the code."""

from brokerweb.common.api.shape import Shape
from brokerweb.config.openapi import OPENAPI_PATH, openapi_document, openapi_text


def test_the_document_in_the_repository_is_up_to_date():
    assert OPENAPI_PATH.read_text(encoding="utf-8") == openapi_text(), "run: python manage.py export_openapi"


def test_every_operation_has_a_name_of_its_own_and_says_what_its_problems_look_like():
    names = []
    for operations in openapi_document()["paths"].values():
        for operation in operations.values():
            names.append(operation["operationId"])
            assert operation["description"]
            assert operation["responses"]["422"]["content"].keys() == {"application/problem+json"}
    assert len(names) == len(set(names))


def shapes(base=Shape):
    for kind in base.__subclasses__():
        if kind.__module__.startswith("brokerweb."):
            yield kind
        yield from shapes(kind)


def test_every_shape_has_a_name_of_its_own():
    """Of two with one name the document holds one only, in the place of both."""
    places = {}
    for kind in set(shapes()):
        places.setdefault(kind.__name__, set()).add(kind.__module__)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}

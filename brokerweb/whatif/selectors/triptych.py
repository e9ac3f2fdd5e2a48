"""One question asked three times, as the mirrored pair on its way stands."""

from __future__ import annotations

from brokerweb.common.languages import asked_language
from brokerweb.whatif.selectors.basis import Basis
from engine import api as engine


def triptych_of(
    basis: Basis, question: engine.what_if.FlowQuestion, pointer: str = "/question"
) -> engine.what_if.Triptych:
    """The three answers. Raises `ObjectNotFound` for a question that nobody could ask, `CatalogError` 1416 without a
    pair on the way.
    """
    asked = basis.places.question(question, pointer)
    return engine.what_if.triptych(
        basis.catalogs, asked, at=basis.instant, faults=basis.faults, language=asked_language()
    )

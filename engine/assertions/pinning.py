"""`pin`: assertions made from what comes of a question now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from engine.assertions.assertion import Assertion, End, Expectation, Outcome, Place
from engine.assertions.running import run
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.answering import ask
from engine.whatif.disposition import ARRIVED
from engine.whatif.faults import Fault
from engine.whatif.telling import FlowQuestion
from engine.whatif.wording import fault_text, flow_text
from engine.whatif.words import ENGLISH, both, said

Catalogs = Mapping[InstanceName, InstanceCatalog]


def pin(
    catalogs: Catalogs,
    questions: Iterable[FlowQuestion],
    *,
    at: UtcTime,
    faults: tuple[Fault, ...] = (),
    clock: UtcTime | None = None,
    with_path: bool = False,
    taken: Iterable[str] = (),
    language: str = ENGLISH,
) -> tuple[Assertion, ...]:
    """One assertion for each question: that what comes of it now goes on coming of it.

    `clock` fixes the instant for good; without it the answer `at` this instant is expected at any. `with_path` holds
    the routes too. Names are in `language`, and none of those that are `taken`. Raises `CatalogError` for a question
    of nobody.
    """
    given = {catalog.name: catalog for catalog in catalogs.values()}
    names = set(taken)
    drafts = []
    for question in dict.fromkeys(questions):
        name = _name(question, faults, names, language)
        names.add(name)
        drafts.append(Assertion(name=name, question=question, expected=Expectation(), faults=faults, at=clock))
    pinned = []
    for result in run(drafts, given, at=at).results:
        if result.outcome is None:
            _raise(given, result.assertion, at)
        else:
            expected = expectation_of(result.outcome, with_path=with_path)
            pinned.append(msgspec.structs.replace(result.assertion, expected=expected))
    return tuple(pinned)


def expectation_of(outcome: Outcome, *, with_path: bool = False) -> Expectation:
    """Everything about an outcome that is the same for every way of it."""
    ends = outcome.ends
    is_whole = outcome.followed >= 1.0 and bool(ends)
    dispositions = {end.disposition for end in ends} if is_whole else set()
    numbers = {end.number for end in ends} if is_whole else set()
    paths = {end.path for end in ends} if is_whole and with_path else set()
    return Expectation(
        works=outcome.works,
        disposition=dispositions.pop() if len(dispositions) == 1 else None,
        reaches=_places(ends) if is_whole else (),
        path=paths.pop() if len(paths) == 1 else None,
        number=numbers.pop() if len(numbers) == 1 else None,
    )


def _places(ends: Iterable[End]) -> tuple[Place, ...]:
    """Where it arrives; nothing when some way does not arrive."""
    places: dict[Place, None] = {}
    for end in ends:
        if end.disposition not in ARRIVED or end.database is None:
            return ()
        places[Place(instance=end.instance, database=end.database)] = None
    return tuple(places)


def _name(question: FlowQuestion, faults: tuple[Fault, ...], taken: set[str], language: str) -> str:
    name = wanted = flow_text(question)
    if faults:
        supposed = both(language, [fault_text(fault, language) for fault in faults])
        name = wanted = said(language, "assertions", "pinned", flow=wanted, faults=supposed)
    number = 2
    while name in taken:
        name = f"{wanted} ({number})"
        number += 1
    return name


def _raise(catalogs: Catalogs, assertion: Assertion, at: UtcTime) -> None:
    """The refusal of a question that cannot be asked, as whoever asks it hears it."""
    ask(catalogs, assertion.question, at=at, faults=assertion.faults)
    raise CatalogError(15151, value="question", name=assertion.name, database="the estate")

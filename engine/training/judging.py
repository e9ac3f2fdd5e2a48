"""`Judge`: whether the checks of a task hold in a world, each with a sentence that says what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from engine.assertions.assertion import Place
from engine.assertions.running import run
from engine.assertions.wording import worded
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.errors import BrokerError, CatalogError
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.core.vocabulary.translations import translated
from engine.sim.delivery import Delivery, deliver
from engine.training.accounts import account_of
from engine.training.scenario import (
    AnyCheck,
    Check,
    DeliveryCheck,
    QueryCheck,
    SelectCheck,
    TrafficCheck,
    WhatIfCheck,
    unspoken,
)
from engine.training.words import Texts, everywhere, said
from engine.training.world import GradedWorld
from engine.whatif.answering import spelled
from engine.whatif.faults import Fault, FaultKind, partners_in
from engine.whatif.wording import fault_text, flow_text

_SEED: Final = 1
"""Of the worlds in which messages of the grader's are sent."""
PAGES_MAX: Final = 1_000


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """One check that was looked at."""

    holds: bool
    is_kept: bool
    found: Texts
    """What was expected where it holds, else what is there instead, with its cause where that is known."""
    is_needed: bool = False
    seen: Texts | None = None
    """The same without what a trainee is to find out; None where `found` gives nothing away."""


class _Looked(msgspec.Struct, frozen=True):
    """What came of looking: see `CheckResult`."""

    holds: bool
    found: Texts
    seen: Texts | None = None


class Judge:
    """Looks at one world, whose definitions it reads once."""

    def __init__(self, world: GradedWorld) -> None:
        self._world = world
        self._at = world.now()
        self._catalogs = dict(world.catalogs())
        self._faults = world.unseen_faults()

    def result(self, check: Check) -> CheckResult:
        """One check."""
        match check:
            case WhatIfCheck():
                looked = self._what_if(check)
            case QueryCheck():
                looked = self._query(check)
            case SelectCheck():
                looked = self._select(check)
            case DeliveryCheck():
                looked = self._delivery(check)
            case TrafficCheck():
                looked = self._traffic(check)
            case AnyCheck():
                looked = self._any(check)
        found, seen = looked.found, looked.seen
        if check.is_kept:
            found, seen = _to_stay(found), None if seen is None else _to_stay(seen)
        return CheckResult(holds=looked.holds, is_kept=check.is_kept, is_needed=check.is_needed, found=found, seen=seen)

    def _any(self, check: AnyCheck) -> _Looked:
        """The first that holds, or what the first of them says."""
        results = [self.result(each) for each in check.checks]
        first = next((each for each in results if each.holds), results[0])
        return _Looked(first.holds, first.found, first.seen)

    def _what_if(self, check: WhatIfCheck) -> _Looked:
        assertion = check.assertion
        widowed = _without_partner(self._catalogs, assertion.faults)
        if widowed:
            return _Looked(False, everywhere(lambda language: said(language, "no_partner", place=widowed)))
        (result,) = run([assertion], self._catalogs, at=self._at, faults=self._faults).results

        def flow(language: str) -> str:
            supposed = ", ".join(fault_text(each, language) for each in assertion.faults)
            asked = flow_text(assertion.question)
            return said(language, "supposed", flow=asked, supposed=supposed) if supposed else asked

        def say(language: str) -> str:
            told = worded(result, language)
            if result.passed:
                return said(language, "what_if_holds", flow=flow(language), expected=told.expected)
            why = told.why.rstrip(".")
            name = "what_if_fails_why" if why else "what_if_fails"
            return said(language, name, flow=flow(language), expected=told.expected, actual=told.actual, why=why)

        def say_less(language: str) -> str:
            return said(language, "what_if_open", flow=flow(language), expected=worded(result, language).expected)

        return _Looked(result.passed, everywhere(say), None if result.passed else everywhere(say_less))

    def _query(self, check: QueryCheck) -> _Looked:
        query = check.query
        where = " AND ".join(
            f"{each.column} IS NULL" if each.value is None else f"{each.column} = {each.value}"
            for each in query.filters
        )
        view = f"{query.view} ({where})" if where else query.view
        return _counted(check, check.query.database, view, lambda: self._count(check))

    def _select(self, check: SelectCheck) -> _Looked:
        sql = " ".join(check.sql.split())
        return _counted(
            check, check.database, sql, lambda: self._world.select(check.instance, check.database, check.sql)
        )

    def _count(self, check: QueryCheck) -> int | None:
        """Rows of every page; None where nobody answers."""
        query, rows = check.query, 0
        for _ in range(PAGES_MAX):
            page = self._world.system_view(check.instance, query)
            if page is None:
                return None
            rows += len(page.rows)
            if page.next_offset is None:
                break
            query = msgspec.structs.replace(query, offset=page.next_offset)
        return rows

    def _delivery(self, check: DeliveryCheck) -> _Looked:
        flow = flow_text(check.flow)
        try:
            asked = spelled(self._catalogs, check.flow)
            became = deliver(self._catalogs, asked, at=self._at, seed=_SEED, faults=(*self._faults, *check.faults))
        except CatalogError as error:
            return _Looked(False, _refusal(flow, error))
        astray = _astray([(each.instance, each.database) for each in became.arrived], check.reaches)
        holds = _arrived_within(became, check.within_seconds) and not astray
        return _Looked(
            holds,
            everywhere(lambda language: _delivery_said(language, check, became, holds, astray)),
            everywhere(lambda language: _delivery_said(language, check, became, holds, astray, numbered=False)),
        )

    def _traffic(self, check: TrafficCheck) -> _Looked:
        shipments = [each for each in self._world.shipments(check.flow) if each.begun_at >= check.since_seconds]
        account = account_of(check, shipments, self._world.seconds)
        text = everywhere(lambda language: account.said(language, flow_text(unspoken(check.flow))))
        return _Looked(account.holds, text)


def _to_stay(found: Texts) -> Texts:
    """Of what was so at the start: that a flow does not work may be what is wanted."""
    return everywhere(lambda language: said(language, "to_stay", found=found.of(language)))


def _without_partner(catalogs: Mapping[InstanceName, InstanceCatalog], faults: Sequence[Fault]) -> str:
    """The first database that is supposed to fail over and has no partner, or is none's; empty for none of them."""
    for fault in faults:
        if fault.kind is not FaultKind.PARTNER or fault.instance not in catalogs:
            continue
        if fault.database is None or fault.database not in catalogs[fault.instance].databases:
            continue
        pair = partners_in(catalogs, fault.instance, fault.database)
        if not pair or not all(catalogs[name].databases[database].partner_address for name, database in pair):
            return f"{fault.instance}/{fault.database}"
    return ""


def _counted(
    check: QueryCheck | SelectCheck, database: DatabaseName | None, view: str, count: Callable[[], int | None]
) -> _Looked:
    """Whether there are as many rows as there should be."""
    place = check.instance if database is None else f"{check.instance}/{database}"
    try:
        rows = count()
    except BrokerError as error:
        return _Looked(False, _refusal(f"{place} {view}", error))
    if rows is None:
        return _Looked(False, everywhere(lambda language: said(language, "query_unanswered", place=place, view=view)))
    holds = check.rows_min <= rows and (check.rows_max is None or rows <= check.rows_max)
    name, wanted = "query_holds" if holds else "query_fails", _wanted(check)

    def say(language: str) -> str:
        bounds = said(language, wanted, low=check.rows_min, high=check.rows_max)
        return said(language, name, place=place, view=view, rows=rows, wanted=bounds)

    name_seen = "query_seen" if holds else "query_open"
    return _Looked(holds, everywhere(say), everywhere(lambda language: said(language, name_seen, place=place)))


def _wanted(check: QueryCheck | SelectCheck) -> str:
    if check.rows_max is None:
        return "at_least"
    if check.rows_min == check.rows_max:
        return "exactly"
    return "at_most" if check.rows_min == 0 else "between"


def _refusal(place: str, error: BrokerError) -> Texts:
    """What was asked for is not there, or cannot be asked."""

    def say(language: str) -> str:
        known = translated(language, error.number, error.parameters)
        text = error.text if known is None else known.text
        return said(language, "refused", place=place, number=error.number, text=text)

    return everywhere(say)


def _arrived_within(became: Delivery, seconds: float) -> bool:
    is_in_time = became.arrived_after is not None and became.arrived_after <= seconds
    is_heard = became.acknowledged_after is not None and became.acknowledged_after <= seconds
    is_open = not any(place.is_parked for place in became.arrived)
    return is_in_time and is_heard and is_open and became.error is None


def _astray(found: Sequence[tuple[InstanceName, DatabaseName]], reaches: Sequence[Place]) -> str:
    """Where it has arrived and should not have; empty for nowhere."""
    wanted = {(each.instance, each.database) for each in reaches}
    astray = [place for place in found if wanted and place not in wanted]
    return ", ".join(f"{instance}/{database}" for instance, database in dict.fromkeys(astray))


def _delivery_said(
    language: str, check: DeliveryCheck, became: Delivery, holds: bool, astray: str, *, numbered: bool = True
) -> str:
    flow, seconds = flow_text(unspoken(check.flow)), f"{check.within_seconds:g}"
    if holds:
        return said(language, "delivery_holds", flow=flow, seconds=seconds)
    if astray:
        wanted = ", ".join(map(str, check.reaches))
        return said(language, "delivery_astray", flow=flow, found=astray, wanted=wanted)
    number = became.refused or became.error or became.status
    name = "delivery_fails"
    if not became.is_sent:
        name = "delivery_refused"
    elif became.error is not None:
        name = "delivery_error"
    elif any(place.is_parked for place in became.arrived):
        name = "delivery_parked"
    elif became.arrived:
        name = "delivery_unheard"
    text = said(language, name, flow=flow, seconds=seconds)
    return (
        text
        if number is None or not numbered
        else said(language, "with_number", text=text.rstrip("."), number=abs(number))
    )

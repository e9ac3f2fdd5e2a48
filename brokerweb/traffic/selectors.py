"""Test traffic as it is shown: what it was asked for and what it has done; and which pairs could be asked for."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.common.languages import asked_language
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from brokerweb.traffic.figures import ENGINE_UNAVAILABLE, ErrorFigure, PairFigures, figures_from
from brokerweb.traffic.models import TrafficRun
from brokerweb.traffic.plan import TrafficPlan
from engine import api as engine

_NEVER: Final = {
    "state": "never",
    **dict.fromkeys(("plan", "started_by", "started_at", "stopped_at", "heartbeat_at")),
    "is_generated": False,
    "rate": 0.0,
    "left_open": 0,
    "pairs": (),
}


def traffic_read(estate_name: str) -> dict[str, Any]:
    """The newest run of an estate; `ObjectNotFound` when there is no such estate. State `never` before the first."""
    estate = _estate(estate_name)
    runs = TrafficRun.objects.filter(estate=estate).select_related("started_by")
    row = runs.annotate(is_held=ExpressionWrapper(Q(expires_at__gt=Now()), BooleanField())).first()
    if row is None:
        return _NEVER
    plan = msgspec.convert(row.plan, TrafficPlan)
    figures = figures_from(row.figures, len(plan.pairs))
    is_generated = bool(row.holder) and row.is_held
    return {
        "state": row.state,
        "plan": row.plan,
        "started_by": None if row.started_by is None else row.started_by.get_username(),
        "started_at": row.started_at,
        "stopped_at": row.stopped_at,
        "is_generated": is_generated,
        "heartbeat_at": row.heartbeat_at,
        # What a holder that is silent has written last is no rate of now.
        "rate": figures.rate if is_generated else 0.0,
        "left_open": figures.left_open,
        "pairs": [_pair(each) for each in figures.pairs],
    }


def traffic_offers(estate_name: str) -> list[dict[str, Any]]:
    """Pairs of services whose messages arrive and whose answers come back, as routing says of what is wanted."""
    catalogs = live_catalogs(_estate(estate_name))
    offers = engine.diagnosis.deliverable_dialogs(catalogs, engine.UtcTime(timezone.now().timestamp()))
    return [msgspec.to_builtins(offer) for offer in offers]


def _estate(name: str) -> Estate:
    estate = Estate.objects.filter(name=name).first()
    if estate is None:
        raise ObjectNotFound(_("There is no estate {name}.").format(name=name))
    return estate


def _pair(figures: PairFigures) -> dict[str, Any]:
    errors = [
        {"code": code if (number := _number(code)) is None else number, "count": each.count, "text": _words(code, each)}
        for code, each in sorted(figures.errors.items(), key=lambda item: -item[1].count)
    ]
    return {**msgspec.to_builtins(figures), "errors": errors}


def _number(code: str) -> int | None:
    """A code as a number; None for one that is a word."""
    return int(code) if code.removeprefix("-").isdecimal() else None


def _words(code: str, figure: ErrorFigure) -> str:
    """An error in the asker's language, where it can be worded again."""
    if code == ENGINE_UNAVAILABLE:
        return _("The engine did not answer.")
    number = _number(code)
    if figure.parameters is None or number is None:
        return figure.text
    said = engine.translations.translated(asked_language(), number, figure.parameters)
    return figure.text if said is None else said.text

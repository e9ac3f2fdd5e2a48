"""Every check: its code, and the function that looks. Words and severity are in `findings.toml`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from engine.diagnosis import (
    contracts,
    endpoints,
    identity,
    queues,
    route_rows,
    security,
    special_routes,
    ways,
)
from engine.diagnosis.finding import Finding
from engine.diagnosis.survey import Survey


class Check(msgspec.Struct, frozen=True):
    """One function, and the codes that it may tell."""

    codes: tuple[str, ...]
    find: Callable[[Survey], Iterator[Finding]]


def _check(find: Callable[[Survey], Iterator[Finding]], *codes: str) -> Check:
    return Check(tuple(f"SBD-{code}" for code in codes), find)


CHECKS: Final = (
    _check(ways.no_way_there, "101"),
    _check(identity.unreached, "101"),
    _check(ways.no_way_back, "102"),
    _check(route_rows.expired, "103"),
    _check(route_rows.expires_soon, "104"),
    _check(route_rows.other_id, "105"),
    _check(route_rows.wrong_address, "106"),
    _check(ways.not_local, "107"),
    _check(ways.useless_entry, "107"),
    _check(ways.near_miss, "108"),
    _check(ways.shut_out, "109"),
    _check(route_rows.led_away, "110"),
    _check(ways.not_forwarding, "111"),
    _check(ways.loop, "112"),
    _check(route_rows.own_address, "113"),
    _check(special_routes.hidden_by_asking, "114"),
    _check(special_routes.nobody_to_ask, "115"),
    _check(ways.no_address_in_name, "117"),
    _check(route_rows.duplicates, "118"),
    _check(route_rows.balanced, "118"),
    _check(special_routes.no_mirror_address, "119"),
    _check(special_routes.local_from_mirrored, "120"),
    _check(identity.broker_off, "201"),
    _check(identity.msdb_closed, "202"),
    _check(identity.same_id, "203"),
    _check(identity.closed, "204"),
    _check(route_rows.dead_id, "205"),
    _check(endpoints.no_endpoint, "301"),
    _check(endpoints.not_started, "302"),
    _check(endpoints.no_common_method, "303"),
    _check(endpoints.no_common_encryption, "304"),
    _check(endpoints.may_not_connect, "305"),
    _check(endpoints.unusable_certificate, "306"),
    _check(endpoints.unknown_peer, "307"),
    _check(ways.missing_service, "401"),
    _check(contracts.missing_contract, "402"),
    _check(contracts.differing_contract, "403"),
    _check(contracts.stricter_receiver, "404"),
    _check(queues.switched_off, "405"),
    _check(queues.activated_as_nobody, "407"),
    _check(queues.no_readers, "408"),
    _check(queues.activation_off, "409"),
    _check(queues.retention_on, "411"),
    _check(queues.poison_unhandled, "412"),
    _check(security.prevented, "501", "503", "504", "505", "506", "507"),
    _check(security.ambiguous, "508"),
    _check(security.expires_soon, "509"),
    _check(security.local_without_key, "510"),
)
PAIR_CODES: Final = ("SBD-502", "SBD-511")
"""Told of one pair alone, since only who asks knows its ENCRYPTION."""

ALL_CODES: Final = tuple(sorted({code for check in CHECKS for code in check.codes}))

"""How an endpoint proves itself and encrypts, and who may connect to it, changed by a form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, ObjectNotFound
from brokerweb.topology.selectors.places import InstancePlace
from brokerweb.topology.services.revision import Proposal, change_decide
from brokerweb.topology.summaries import saying
from engine import api as engine

CHANGES_NOTHING = 7863
POINTERS = {"AUTHENTICATION": "/authentication", "ENCRYPTION": "/encryption"}
"""The field of the form for the clause that an error names."""


def endpoint_update(
    place: InstancePlace, *, user: User | None, expected_revision: int | None, clauses: Mapping[str, str]
) -> int:
    """ALTER ENDPOINT with AUTHENTICATION or ENCRYPTION, as T-SQL writes them (7863 for none); answers the revision.

    A certificate must be valid now, as the vendor demands; a script is let through (28055, tsql.md 8). Raises
    `ObjectNotFound`, `EngineRefused`, `RevisionConflict`.
    """

    def propose(catalog: engine.InstanceCatalog) -> Proposal:
        endpoint = endpoint_of(place, catalog)
        if not clauses:
            raise engine.CatalogError(CHANGES_NOTHING, name=endpoint.name)
        different = {clause: text for clause, text in clauses.items() if getattr(endpoint, clause) != text}
        if not different:
            return Proposal((), "")
        change = engine.EndpointAltered(name=endpoint.name, **different)
        if "authentication" in different:
            _check_validity(engine.apply_changes(catalog, [change]))
        what = "-".join(clause for clause in ("authentication", "encryption") if clause in different)
        return Proposal([change], saying(f"change-{what}", name=endpoint.name, instance=place.instance))

    with _refusals_at_their_fields():
        return change_decide(place, propose, user=user, expected_revision=expected_revision)


def connect_permission_set(
    place: InstancePlace, grantee: str, verb: str, *, user: User | None, expected_revision: int | None = None
) -> int:
    """GRANT, DENY or REVOKE CONNECT ON ENDPOINT; answers the revision. Raises `ObjectNotFound`, `EngineRefused`."""

    def propose(catalog: engine.InstanceCatalog) -> Proposal:
        endpoint = endpoint_of(place, catalog)
        change = engine.server_changes.ConnectPermissionSet(
            name=endpoint.name, verb=engine.server_changes.PermissionVerb(verb), grantee=engine.LoginName(grantee)
        )
        if engine.apply_changes(catalog, [change]).connect_permissions == catalog.connect_permissions:
            return Proposal((), "")
        summary = saying(f"{verb.lower()}-connect", name=endpoint.name, instance=place.instance, grantee=grantee)
        return Proposal([change], summary)

    with _refusals_at_their_fields():
        return change_decide(place, propose, user=user, expected_revision=expected_revision)


def endpoint_of(place: InstancePlace, catalog: engine.InstanceCatalog) -> engine.Endpoint:
    """The endpoint of an instance; `ObjectNotFound` when it has none."""
    if catalog.endpoint is None:
        raise ObjectNotFound(
            _("{instance} has no Service Broker endpoint.").format(instance=place.instance),
            cure=_("Create one with CREATE ENDPOINT … FOR SERVICE_BROKER."),
        )
    return catalog.endpoint


def _check_validity(wanted: engine.InstanceCatalog) -> None:
    trust = engine.trust_of(wanted, engine.UtcTime(timezone.now().timestamp()))
    if trust.shown is not None and trust.shown.name not in trust.usable:
        raise engine.CatalogError(28055, value=trust.shown.name, clause="AUTHENTICATION")


@contextmanager
def _refusals_at_their_fields() -> Iterator[None]:
    """Point each refusal at the field of the form that it is about."""
    try:
        yield
    except engine.BrokerError as error:
        clause = error.parameters.get("clause")
        raise EngineRefused(error, POINTERS.get(str(clause), "/grantee")) from error

"""How the endpoint of an import proves itself: by a certificate whose private key is here and whose dates are right."""

from __future__ import annotations

import msgspec

from engine.core.catalog.changes import EndpointAltered, EndpointCreated
from engine.core.catalog.endpoint_clauses import authentication_of
from engine.core.catalog.endpoint_rules import certificate_of
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in
from engine.core.catalog.objects import DEFAULT_AUTHENTICATION, Endpoint
from engine.core.catalog.security import Validity, validity_of
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.identifiers import MASTER
from engine.core.vocabulary.moment import UtcTime

DAY_SECONDS = 86_400


def provable(
    catalog: InstanceCatalog, change: EndpointCreated | EndpointAltered
) -> tuple[EndpointCreated | EndpointAltered, str | None]:
    """The change as it can be made, and a warning where that is another one.

    A private key is in no script, so a certificate that came by one cannot be shown by an endpoint yet (28055).
    """
    made = change.endpoint if isinstance(change, EndpointCreated) else change
    name = None if made.authentication is None else authentication_of(made.authentication).certificate
    master = catalog.databases.get(MASTER)
    key = None if name is None or master is None else spelling_in(master.certificates, name)
    if master is None or key is None or master.certificates[key].private_key is not None:
        return change, None
    warning = (
        f"The private key of certificate '{key}' is not here, so the endpoint is left with {DEFAULT_AUTHENTICATION} "
        "until there is one."
    )
    replaced = msgspec.structs.replace(made, authentication=DEFAULT_AUTHENTICATION)
    return (EndpointCreated(endpoint=replaced) if isinstance(replaced, Endpoint) else replaced), warning


def validity_warning(catalog: InstanceCatalog, now: UtcTime) -> str | None:
    """Dates of the endpoint's certificate: a form is refused for them, a script is not (28055)."""
    shown = certificate_of(catalog)
    if shown is None:
        return None
    match validity_of(shown, now):
        case Validity.EXPIRES_SOON:
            days = int((shown.expires_at - now) // DAY_SECONDS)
            return f"Certificate '{shown.name}' of the endpoint expires in {days} days."
        case Validity.EXPIRED:
            return f"{text_of(28023)}: '{shown.name}'. Peers will refuse it (28035)."
        case Validity.NOT_YET_VALID:
            return f"{text_of(28022)}: '{shown.name}'. Peers will refuse it (28035)."
        case Validity.VALID:
            return None

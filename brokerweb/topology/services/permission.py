"""Who may send to a service and receive from a queue, changed by a form."""

from __future__ import annotations

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.services.revision import Proposal, change_decide
from brokerweb.topology.summaries import saying
from engine import api as engine

_PERMISSIONS = {engine.permissions.Securable.SERVICE: "SEND", engine.permissions.Securable.QUEUE: "RECEIVE"}


def permission_set(
    place: DatabasePlace,
    securable: engine.permissions.Securable,
    name: str,
    *,
    grantee: str,
    verb: str,
    user: User | None,
    expected_revision: int | None = None,
) -> int:
    """GRANT, DENY or REVOKE SEND on the service, or RECEIVE on the queue, called `name`; answers the revision.

    What is so already makes no revision. Raises `EngineRefused` (15151, 4617, 4624), `RevisionConflict`.
    """
    change = engine.security_changes.PermissionSet(
        database=engine.DatabaseName(place.database),
        securable=securable,
        name=name,
        verb=engine.server_changes.PermissionVerb(verb),
        grantee=engine.UserName(grantee),
    )

    def propose(catalog: engine.InstanceCatalog) -> Proposal:
        after = engine.apply_changes(catalog, [change])
        if not engine.diff_catalogs(catalog, after):
            return Proposal((), "")
        what = {"permission": _PERMISSIONS[securable], "kind": securable.lower(), "name": name}
        return Proposal([change], saying(verb.lower(), **what, database=place.database, grantee=grantee))

    try:
        return change_decide(place.instance_place, propose, user=user, expected_revision=expected_revision)
    except engine.BrokerError as error:
        raise EngineRefused(error, "/grantee") from error

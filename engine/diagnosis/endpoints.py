"""Checks of endpoints and of the connections between them (SBD-301 to 307)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from engine.core.catalog.changes import EndpointAltered, EndpointCreated
from engine.core.catalog.endpoint_rules import certificate_of, login_of, may_connect
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.link_trust import Hindrance, trust_of
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.catalog.route import LocalAddress, NetworkAddress
from engine.core.catalog.security import PUBLIC, Certificate, Validity
from engine.core.catalog.server_changes import ConnectPermissionSet, PermissionVerb
from engine.core.link.admission import agreed_method, stored_at
from engine.core.link.negotiation import ENCRYPTION_OF, Algorithm, Encryption, LinkPolicy, Method, policy_of
from engine.core.routing.table import is_live
from engine.core.vocabulary.identifiers import MASTER, MSDB, EndpointName, InstanceName
from engine.core.vocabulary.limits import DEFAULT_PORT, PORT_MAX, PORT_MIN
from engine.core.vocabulary.settings import Authentication
from engine.diagnosis.finding import Finding, InstanceFix, ObjectKind, Phrase, Subject
from engine.diagnosis.model import endpoint_subject, instance_subject
from engine.diagnosis.survey import Survey
from engine.diagnosis.words import finding, phrase


def _fix(
    instance: InstanceName, *changes: EndpointCreated | EndpointAltered | ConnectPermissionSet
) -> tuple[InstanceFix, ...]:
    return (InstanceFix(instance=instance, changes=changes),)


def no_endpoint(survey: Survey) -> Iterator[Finding]:
    """SBD-301: messages are meant to leave or to arrive over the network, and there is no endpoint."""
    for instance, neighbours in survey.networked.items():
        if survey.model.catalogs[instance].endpoint is None:
            yield finding(
                "SBD-301",
                instance_subject(instance),
                further=tuple(map(instance_subject, sorted(neighbours)[:20])),
                fix=_created(survey, instance, neighbours),
                instance=instance,
                others=tuple(sorted(neighbours)[:5]) or phrase("other_servers"),
            )


def _created(survey: Survey, instance: InstanceName, neighbours: set[InstanceName]) -> tuple[InstanceFix, ...]:
    """An endpoint on the port that routes expect, that proves itself as the neighbours do; where that is Windows."""
    model = survey.model
    ports = Counter(
        address.tcp.port
        for _, route in model.routes()
        for address in (route.address, route.mirror_address)
        if isinstance(address, NetworkAddress) and instance in model.called(address.tcp, instance)
    )
    port = next((port for port, _ in ports.most_common() if PORT_MIN <= port <= PORT_MAX), DEFAULT_PORT)
    msdb = model.catalogs[instance].databases.get(MSDB)
    passes_on = msdb is not None and any(
        not isinstance(route.address, LocalAddress) for route in msdb.routes.values() if is_live(route, survey.now)
    )
    endpoint = Endpoint(
        EndpointName("ServiceBroker"), port, EndpointState.STARTED, is_message_forwarding_enabled=passes_on
    )
    ours = _policy(endpoint)
    for neighbour in neighbours:
        theirs = model.catalogs[neighbour].endpoint
        if theirs is not None and (_has_no_method(ours, (policy := _policy(theirs))) or _clash(ours, policy)):
            return ()
    return _fix(instance, EndpointCreated(endpoint=endpoint))


def not_started(survey: Survey) -> Iterator[Finding]:
    """SBD-302: the endpoint is there and takes nothing in."""
    for instance in survey.networked:
        catalog = survey.model.catalogs[instance]
        endpoint = catalog.endpoint
        if endpoint is not None and endpoint.state is not EndpointState.STARTED:
            yield finding(
                "SBD-302",
                endpoint_subject(catalog),
                fix=_fix(instance, EndpointAltered(name=endpoint.name, state=EndpointState.STARTED)),
                instance=instance,
                state=endpoint.state,
            )


# --- what two ends agree on ------------------------------------------------------------------------------------------


def _linked(survey: Survey) -> Iterator[tuple[InstanceCatalog, InstanceCatalog]]:
    """Instances that connect to each other and both have an endpoint."""
    for one, other in survey.links:
        first, second = survey.model.catalogs[one], survey.model.catalogs[other]
        if first.endpoint is not None and second.endpoint is not None:
            yield first, second


@lru_cache(maxsize=1024)
def _policy(endpoint: Endpoint | None) -> LinkPolicy:
    return policy_of(endpoint, Authentication.VOUCHED)


def _policies(one: InstanceCatalog, other: InstanceCatalog) -> tuple[LinkPolicy, LinkPolicy]:
    return _policy(one.endpoint), _policy(other.endpoint)


def _has_no_method(ours: LinkPolicy, theirs: LinkPolicy) -> bool:
    return not set(ours.methods) & set(theirs.methods)


def _clash(ours: LinkPolicy, theirs: LinkPolicy) -> Phrase | None:
    """Why two ends agree on no encryption."""
    outcome = ENCRYPTION_OF[ours.encryption, theirs.encryption]
    if outcome is Encryption.REFUSED:
        return phrase("levels_clash", ours=ours.encryption, theirs=theirs.encryption)
    if outcome is Encryption.ENCRYPTED and not (
        Algorithm.AES in ours.algorithms and Algorithm.AES in theirs.algorithms
    ):
        return phrase("algorithms_clash", ours=tuple(ours.algorithms), theirs=tuple(theirs.algorithms))
    return None


def no_common_method(survey: Survey) -> Iterator[Finding]:
    """SBD-303: one end proves itself by certificate alone, the other by Windows alone."""
    for one, other in _linked(survey):
        ours, theirs = _policies(one, other)
        if _has_no_method(ours, theirs):
            assert one.endpoint is not None
            assert other.endpoint is not None
            yield finding(
                "SBD-303",
                endpoint_subject(one),
                further=(endpoint_subject(other),),
                about=other.name,
                one=one.name,
                other=other.name,
                ours=one.endpoint.authentication,
                theirs=other.endpoint.authentication,
            )


def no_common_encryption(survey: Survey) -> Iterator[Finding]:
    """SBD-304: one end refuses what the other demands."""
    for one, other in _linked(survey):
        clash = _clash(*_policies(one, other))
        if clash is not None:
            yield finding(
                "SBD-304",
                endpoint_subject(one),
                further=(endpoint_subject(other),),
                about=other.name,
                one=one.name,
                other=other.name,
                clash=clash,
            )


# --- certificates ----------------------------------------------------------------------------------------------------


def _proving(survey: Survey) -> Iterator[tuple[InstanceCatalog, InstanceCatalog, Certificate]]:
    """For both directions of each connection that certificates prove: who looks, at whom, and what that one shows."""
    for one, other in _linked(survey):
        if one.endpoint is None or other.endpoint is None:
            continue
        # Of several methods that both have the accepting end's order decides, in each direction.
        methods = (agreed_method(one.endpoint, other.endpoint), agreed_method(other.endpoint, one.endpoint))
        if Method.CERTIFICATE not in methods:
            continue
        for looking, shown in ((one, other), (other, one)):
            certificate = certificate_of(shown)
            if certificate is not None:
                yield looking, shown, certificate


def _known(looking: InstanceCatalog, shown: Certificate) -> Certificate | None:
    master = looking.databases.get(MASTER)
    certificates = () if master is None else master.certificates.values()
    return next((each for each in certificates if each.certificate == shown.certificate), None)


def may_not_connect(survey: Survey) -> Iterator[Finding]:
    """SBD-305: the peer is known, and its login has no CONNECT on the endpoint."""
    for looking, shown, certificate in _proving(survey):
        known = _known(looking, certificate)
        if known is None or may_connect(looking, known.owner) or looking.endpoint is None:
            continue
        login = login_of(looking, known.owner)
        denied = any(each.is_denied for each in looking.connect_permissions.values())
        granted = (
            ()
            if login is None or denied or login not in looking.logins
            else _fix(
                looking.name,
                ConnectPermissionSet(name=looking.endpoint.name, verb=PermissionVerb.GRANT, grantee=login),
            )
        )
        yield finding(
            "SBD-305",
            endpoint_subject(looking),
            further=(_certificate(looking, known), instance_subject(shown.name)),
            fix=granted,
            about=shown.name,
            owner=known.owner,
            login=login or phrase("no_login"),
            certificate=known.name,
            instance=looking.name,
            peer=shown.name,
        )


def unusable_certificate(survey: Survey) -> Iterator[Finding]:
    """SBD-306: the certificate that an endpoint shows proves nothing."""
    for catalog in survey.model.catalogs.values():
        shown = trust_of(catalog, survey.now).shown
        if shown is None:
            continue
        flaw = (
            {
                Hindrance.MISSING: "flaw_missing",
                Hindrance.NO_PRIVATE_KEY: "flaw_no_private_key",
            }.get(shown.hindrance)
            if shown.hindrance
            else {
                Validity.EXPIRED: "flaw_expired",
                Validity.NOT_YET_VALID: "flaw_not_yet_valid",
            }.get(shown.validity)
            if shown.validity
            else None
        )
        if flaw is not None:
            yield finding(
                "SBD-306",
                endpoint_subject(catalog),
                certificate=shown.name,
                flaw=phrase(flaw),
                instance=catalog.name,
            )


def unknown_peer(survey: Survey) -> Iterator[Finding]:
    """SBD-307: the certificate that a neighbour shows is not in master, and strangers are not let in."""
    for looking, shown, certificate in _proving(survey):
        is_let_in = may_connect(looking, PUBLIC) and stored_at(looking, certificate) is None
        if _known(looking, certificate) is None and not is_let_in:
            yield finding(
                "SBD-307",
                endpoint_subject(looking),
                further=(_certificate(shown, certificate),),
                about=shown.name,
                instance=looking.name,
                peer=shown.name,
                certificate=certificate.name,
            )


def _certificate(catalog: InstanceCatalog, certificate: Certificate) -> Subject:
    return Subject(instance=catalog.name, database=MASTER, kind=ObjectKind.CERTIFICATE, name=certificate.name)

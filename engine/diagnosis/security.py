"""Checks of permissions, bindings, certificates (SBD-501 to 510). The broker's own rules are asked for each dialog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import same_name
from engine.core.catalog.permission_rules import may_receive, may_send, sender_within
from engine.core.catalog.permissions import Securable
from engine.core.catalog.revision import apply_changes
from engine.core.catalog.security import (
    DBO,
    NUMBER_OF,
    PUBLIC,
    Certificate,
    Unusable,
    Validity,
    flaw_of,
    validity_of,
)
from engine.core.catalog.security_changes import CertificateAltered, MasterKeyAltered, PermissionSet
from engine.core.catalog.server_changes import PermissionVerb
from engine.core.routing.dialog_security import (
    CANNOT_SAVE_KEY,
    CERTIFICATE_EXPIRED,
    CERTIFICATE_NOT_YET_VALID,
    CERTIFICATE_UNKNOWN,
    MASTER_KEY_CLOSED,
    NO_CERTIFICATE,
    NO_CONTROL,
    NO_MASTER_KEY,
    USER_DROPPED,
    SecurityDecision,
    binding_of,
    decide_security,
)
from engine.core.vocabulary.identifiers import ServiceName, UserName
from engine.diagnosis.dialogs import Pair
from engine.diagnosis.finding import Finding, InstanceFix, NumberedReason, ObjectKind, Phrase
from engine.diagnosis.model import Home, database_subject, subject
from engine.diagnosis.repairs import fix
from engine.diagnosis.survey import Survey
from engine.diagnosis.words import finding, phrase
from engine.whatif.flows import beginning_services
from engine.whatif.security_proof import (
    CANNOT_DECRYPT,
    HEADER_INVALID,
    MAY_NOT_RECEIVE,
    MAY_NOT_SEND,
    arrival_fault,
    principal_of,
)

_CERTIFICATE_FAULTS = frozenset({*NUMBER_OF.values(), NO_CERTIFICATE})

_CERTIFICATES_DIFFER = frozenset(
    {CERTIFICATE_UNKNOWN, CERTIFICATE_EXPIRED, CERTIFICATE_NOT_YET_VALID, CANNOT_DECRYPT, HEADER_INVALID}
)


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What security makes of a conversation of one pair, when no service of the initiator does better."""

    pair: Pair
    from_service: ServiceName
    encryption: bool
    number: int
    """Why it does not begin."""
    blamed: UserName | None
    is_at_target: bool
    decision: SecurityDecision | None
    """None inside one instance, where nothing is secured."""


def trials(survey: Survey, pairs: Iterable[Pair], *, encryption: bool, only: ServiceName | None = None) -> list[Trial]:
    """The pairs whose conversations fail for reasons of security, whichever service of the initiator begins them."""
    found = []
    for pair in pairs:
        if not pair.is_dialog:
            continue
        database = survey.model.database(pair.initiator)
        failures: list[Trial] = []
        owners: set[str] = set()
        for service in beginning_services(database) if only is None else database.services.values():
            if (only is not None and service.name != only) or (only is None and service.owner.casefold() in owners):
                continue
            owners.add(service.owner.casefold())
            failure = _trial(survey, pair, service.name, encryption=encryption)
            if failure is None:
                failures = []
                break
            failures.append(failure)
        found += failures[:1]
    return found


def _trial(survey: Survey, pair: Pair, from_service: ServiceName, *, encryption: bool) -> Trial | None:
    ours, theirs = survey.model.database(pair.initiator), survey.model.database(pair.target)
    return _tried(ours, theirs, survey, pair, from_service, encryption=encryption)


def _tried(
    ours: DatabaseCatalog,
    theirs: DatabaseCatalog,
    survey: Survey,
    pair: Pair,
    from_service: ServiceName,
    *,
    encryption: bool,
) -> Trial | None:
    if pair.is_within:
        principal = sender_within(ours, from_service, theirs)
        number = None if may_receive(theirs, pair.service.name) else MAY_NOT_RECEIVE
        number = number if may_send(theirs, pair.service.name, principal) else MAY_NOT_SEND
        if number is None:
            return None
        return Trial(
            pair=pair,
            from_service=from_service,
            encryption=encryption,
            number=number,
            blamed=principal,
            is_at_target=True,
            decision=None,
        )
    service = ours.services[from_service]
    decision = decide_security(ours, service.owner, pair.service.name, survey.now, encryption=encryption)
    is_sent = decision.kind is not None
    number = arrival_fault(ours, decision, theirs, pair.service.name, survey.now) if is_sent else decision.status
    if number is None:
        return None
    return Trial(
        pair=pair,
        from_service=from_service,
        encryption=encryption,
        number=number,
        blamed=principal_of(ours, decision, theirs) if is_sent else decision.principal,
        is_at_target=is_sent,
        decision=decision,
    )


def prevented(survey: Survey) -> Iterator[Finding]:
    """SBD-501 to 507: security keeps conversations from beginning.

    ENCRYPTION = OFF is assumed, since the catalog does not say it: a binding secures a dialog in any case.
    """
    for trial in trials(survey, survey.pairs, encryption=False):
        yield told(survey, trial)


# --- permissions -----------------------------------------------------------------------------------------------------


def told(survey: Survey, trial: Trial) -> Finding:
    """The finding for a conversation that security prevents."""
    if trial.number in (MAY_NOT_SEND, MAY_NOT_RECEIVE):
        return _not_permitted(survey, trial)
    home = trial.pair.target if trial.is_at_target else trial.pair.initiator
    code = _code_of(trial)
    mended = _secured(survey, trial, home)
    names = {
        "home": home,
        "initiator": trial.pair.initiator,
        "target": trial.pair.target,
        "service": trial.pair.service.name,
        "owner": trial.blamed or DBO,
        "from_service": trial.from_service,
        "reason": _reason(trial, home),
    }
    decision = trial.decision
    if code in ("SBD-503", "SBD-502") and decision is not None and decision.binding is not None:
        where = subject(home, ObjectKind.BINDING, decision.binding)
    else:
        where = database_subject(home)
    return finding(
        code,
        where,
        further=(subject(trial.pair.target, ObjectKind.SERVICE, trial.pair.service.name),),
        fix=mended if _holds(survey, trial, mended) else (),
        about=f"{trial.pair.initiator} {trial.pair.service.name}",
        **names,
    )


def _reason(trial: Trial, home: Home) -> NumberedReason:
    blamed = trial.blamed or phrase("unknown_owner")
    return NumberedReason(trial.number, {"value": blamed, "database": str(home), "service": trial.pair.service.name})


def _code_of(trial: Trial) -> str:
    match trial.number:
        case n if n in (NO_MASTER_KEY, MASTER_KEY_CLOSED, CANNOT_SAVE_KEY):
            return "SBD-505"
        case n if trial.is_at_target and n == NO_CONTROL:
            return "SBD-507"
        case n if trial.is_at_target and n in _CERTIFICATES_DIFFER:
            return "SBD-506"
        case n if n == USER_DROPPED:
            return "SBD-503"
        case n if n in _CERTIFICATE_FAULTS:
            decision = trial.decision
            is_of_binding = (decision is not None and decision.owner_certificate is not None) or (
                decision is not None
                and decision.user is not None
                and trial.blamed is not None
                and same_name(decision.user, trial.blamed)
            )
            return "SBD-503" if is_of_binding else "SBD-504"
        case _:
            return "SBD-502"


def _not_permitted(survey: Survey, trial: Trial) -> Finding:
    pair, blamed = trial.pair, trial.blamed or PUBLIC
    is_sending = trial.number == MAY_NOT_SEND
    service = pair.service
    verb = PermissionVerb.GRANT
    grant = PermissionSet(
        database=pair.target.database, securable=Securable.SERVICE, name=service.name, verb=verb, grantee=blamed
    )
    permissions = service.send_permissions
    public_denied = any(each.is_denied and same_name(each.grantee, PUBLIC) for each in permissions)
    is_mended = is_sending and (same_name(blamed, PUBLIC) or not public_denied)
    mended = fix(pair.target, grant) if is_mended else ()
    return finding(
        "SBD-501" if is_sending else "SBD-501/receive",
        subject(pair.target, ObjectKind.SERVICE, service.name),
        further=(database_subject(pair.initiator),),
        fix=mended if _holds(survey, trial, mended) else (),
        about=f"{pair.initiator} {blamed}",
        user=blamed,
        service=service.name,
        initiator=pair.initiator,
        owner=service.owner,
        queue=service.queue,
    )


def _holds(survey: Survey, trial: Trial, mended: tuple[InstanceFix, ...]) -> bool:
    """Whether the conversation begins after a fix; else it would only reveal the next fault."""
    catalogs = []
    for home in (trial.pair.initiator, trial.pair.target):
        database = msgspec.structs.replace(survey.model.database(home), routes={})
        catalog = InstanceCatalog(name=home.instance, databases={home.database: database})
        changes = [
            change
            for part in mended
            if part.instance == home.instance
            for change in part.changes
            if getattr(change, "database", None) == home.database
        ]
        catalogs.append(apply_changes(catalog, changes).databases[home.database])
    return _tried(catalogs[0], catalogs[1], survey, trial.pair, trial.from_service, encryption=trial.encryption) is None


def _secured(survey: Survey, trial: Trial, home: Home) -> tuple[InstanceFix, ...]:
    if trial.number == MASTER_KEY_CLOSED:
        return fix(home, MasterKeyAltered(database=home.database, is_encrypted_by_server=True))
    if trial.number == NUMBER_OF[Unusable.NOT_ACTIVE] and trial.blamed is not None:
        owned = [
            each
            for each in survey.model.database(home).certificates.values()
            if same_name(each.owner, trial.blamed) and not each.is_active_for_begin_dialog
        ]
        if owned:
            best = max(owned, key=lambda each: each.expires_at)
            return fix(
                home, CertificateAltered(database=home.database, name=best.name, is_active_for_begin_dialog=True)
            )
    return ()


# --- what stands in the tables ---------------------------------------------------------------------------------------


def _dialog_certificates(survey: Survey) -> Iterator[tuple[Home, list[Certificate]]]:
    """The certificates of each owner that matters to dialogs: of a service, or of the user of a binding."""
    for home, database in survey.model.user_databases():
        owners = {each.owner.casefold() for each in database.services.values()}
        owners |= {each.user.casefold() for each in database.remote_service_bindings.values()}
        owned: dict[str, list[Certificate]] = {}
        for certificate in database.certificates.values():
            if certificate.owner.casefold() in owners:
                owned.setdefault(certificate.owner.casefold(), []).append(certificate)
        for certificates in owned.values():
            yield home, certificates


def ambiguous(survey: Survey) -> Iterator[Finding]:
    """SBD-508: several certificates that new dialogs may take; the one that expires last wins."""
    for home, certificates in _dialog_certificates(survey):
        usable = [each for each in certificates if flaw_of(each, survey.now, needs_private_key=False) is None]
        for is_own in (False, True):
            alike = [each for each in usable if (each.private_key is not None) is is_own]
            if len(alike) < 2:
                continue
            taken = max(alike, key=lambda each: each.expires_at)
            set_aside = [
                CertificateAltered(database=home.database, name=each.name, is_active_for_begin_dialog=False)
                for each in alike
                if each is not taken
            ]
            yield finding(
                "SBD-508",
                subject(home, ObjectKind.CERTIFICATE, taken.name),
                further=tuple(subject(home, ObjectKind.CERTIFICATE, each.name) for each in alike if each is not taken),
                fix=fix(home, *set_aside),
                owner=taken.owner,
                certificates=tuple(each.name for each in alike),
                taken=taken.name,
            )


def expires_soon(survey: Survey) -> Iterator[Finding]:
    """SBD-509: a certificate that serves has less than 30 days left; or none, where nobody else tells."""
    for home, database in survey.model.databases():
        for certificate in database.certificates.values():
            is_active = certificate.is_active_for_begin_dialog
            if is_active and validity_of(certificate, survey.now) is Validity.EXPIRES_SOON:
                yield finding(
                    "SBD-509",
                    subject(home, ObjectKind.CERTIFICATE, certificate.name),
                    certificate=certificate.name,
                    owner=certificate.owner,
                    days=_days(certificate.expires_at - survey.now),
                )


def _days(seconds: float) -> Phrase:
    days = int(seconds // 86400)
    return phrase("one_day") if days == 1 else phrase("days", count=days)


def local_without_key(survey: Survey) -> Iterator[Finding]:
    """SBD-510: a secure dialog inside one instance needs a master key in both databases."""
    for pair in survey.pairs:
        if not (pair.is_within and pair.is_dialog):
            continue
        binding = binding_of(survey.model.database(pair.initiator), pair.service.name)
        lacking = [
            home
            for home in (pair.initiator, pair.target)
            if (key := survey.model.database(home).master_key) is None or not key.is_encrypted_by_server
        ]
        if binding is None or not lacking:
            continue
        keyed = {home: survey.model.database(home).master_key is not None for home in lacking}
        opened = tuple(
            InstanceFix(
                instance=home.instance,
                changes=(MasterKeyAltered(database=home.database, is_encrypted_by_server=True),),
            )
            for home in lacking
        )
        yield finding(
            "SBD-510",
            subject(pair.initiator, ObjectKind.BINDING, binding.name),
            further=tuple(map(database_subject, lacking)),
            fix=opened if all(keyed.values()) else (),
            service=pair.service.name,
            databases=tuple(lacking),
            instance=pair.initiator.instance,
        )

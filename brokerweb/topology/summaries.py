"""The sentences under which decisions enter the history and the log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from django.utils.translation import gettext as in_language
from django.utils.translation import gettext_noop as _

from brokerweb.common.languages import asked_language, sentence
from brokerweb.common.sayings import register_sayings, said_of, worded
from brokerweb.common.sayings import saying as saying
from engine import api as engine

Kind = engine.revisions.ObjectKind

TEMPLATES: Final = {
    "create-route": _("Create route {name} in {database} on {instance}"),
    "change-route": _("Change route {name} in {database} on {instance}"),
    "drop-route": _("Drop route {name} in {database} on {instance}"),
    "create-instance": _("Create {kind} {name}"),
    "create-object": _("Create {kind} {name} on {instance}"),
    "create-object-in": _("Create {kind} {name} in {database} on {instance}"),
    "change-object-in": _("Change {kind} {name} in {database} on {instance}"),
    "change-object": _("Change {kind} {name} on {instance}"),
    "drop-object-in": _("Drop {kind} {name} in {database} on {instance}"),
    "drop-object": _("Drop {kind} {name} on {instance}"),
    "change-objects": _("Change {count} {kinds}: {fields}"),
    "drop-objects": _("Drop {count} {kinds}"),
    "change-authentication": _("Change authentication of endpoint {name} of {instance}"),
    "change-encryption": _("Change encryption of endpoint {name} of {instance}"),
    "change-authentication-encryption": _("Change authentication and encryption of endpoint {name} of {instance}"),
    "set-endpoint": _("Set endpoint {name} of {instance} to {state}"),
    "grant-connect": _("Grant CONNECT on endpoint {name} of {instance} to {grantee}"),
    "deny-connect": _("Deny CONNECT on endpoint {name} of {instance} to {grantee}"),
    "revoke-connect": _("Revoke CONNECT on endpoint {name} of {instance} from {grantee}"),
    "grant": _("Grant {permission} on {kind} {name} of {database} to {grantee}"),
    "deny": _("Deny {permission} on {kind} {name} of {database} to {grantee}"),
    "revoke": _("Revoke {permission} on {kind} {name} of {database} from {grantee}"),
    "renew-broker": _("Give {database} on {instance} a new broker id"),
    "error-conversations": _("End every conversation of {database} on {instance} with an error"),
    "enable-broker": _("Enable the broker of {database} on {instance}"),
    "disable-broker": _("Disable the broker of {database} on {instance}"),
    "detach": _("Detach {database} from {instance}"),
    "attach": _("Attach {database} to {instance}"),
    "restore": _("Restore {database} on {instance}"),
    "fail-over": _("Fail {database} over from {instance} to {partner}"),
    "import": _("Import {files}"),
    "type": _("Definitions typed into a console on {instance}"),
    "preview": _("Preview of {files}"),
    "simulate": _("Simulate a message from {service} to {to_service}"),
    "fix-finding": _("Fix {finding}: {subject}"),
    "fix-findings": _("Fix {count} findings {finding}"),
    "key-suite": _("Protect messages of secure dialogs by {suite}, no longer by {former}"),
    "start-traffic": _("Start test traffic: {pairs} pairs, {rate} messages a second each, {size} bytes"),
    "stop-traffic": _("Stop test traffic"),
    "end-conversation": _("End conversation {handle} in {database} on {instance}"),
    "clean-up-conversation": _("End conversation {handle} in {database} on {instance} with cleanup"),
    "end-conversations": _("End {count} conversations"),
    "clean-up-conversations": _("End {count} conversations with cleanup"),
    "retry-transmission": _("Retry transmission of conversation {handle} in {database} on {instance}"),
    "retry-transmissions": _("Retry transmission of {count} conversations"),
    "switch-on-queue": _("Switch queue {name} in {database} on {instance} on, at once"),
    "switch-off-queue": _("Switch queue {name} in {database} on {instance} off, at once"),
    "run-statements": _("Run {statements} in {database} on {instance}"),
    "force-role": _("Give {database} on {instance} alone the mirroring role {role}"),
    "activate-queue": _("Switch activation of queue {name} in {database} on {instance} on"),
    "deactivate-queue": _("Switch activation of queue {name} in {database} on {instance} off"),
    "read-body": _("Read the body of message {number} of conversation {handle} in {database} on {instance}"),
    "suppress-finding": _("Suppress {finding}: {subject}. {reason}"),
    "suppress-finding-until": _("Suppress {finding} until {until}: {subject}. {reason}"),
    "unsuppress-finding": _("Report {finding} again: {subject}"),
    "unsuppress-gone": _("Report {finding} again"),
    "take-live": _("Take the live {kind} {name} on {instance}"),
    "keep-draft": _("Keep the draft's {kind} {name} on {instance}"),
    "intend-loss": _("Intend the loss of {service} in {database} on {instance} to {to_service}"),
    "intend-losses": _("Intend the loss of {count} flows"),
    "unintend-loss": _("No longer intend the loss of {service} in {database} on {instance} to {to_service}"),
    "unintend-losses": _("No longer intend the loss of {count} flows"),
    "discard": _("Discard change set #{number}{title}"),
    "rebase": _("Bring change set #{number}{title} up to revision {revision}"),
    "apply": _("Apply change set #{number}{title}"),
    "revert": _("Revert revision {number}: {summary}"),
    "not-done": _("{summary} (not done: {reason})"),
}
FLOW: Final = _("{service} in {database} on {instance} to {to_service}")
PLURALS: Final = {
    Kind.INSTANCE: _("instances"),
    Kind.ENDPOINT: _("endpoints"),
    Kind.LOGIN: _("logins"),
    Kind.DATABASE: _("databases"),
    Kind.MESSAGE_TYPE: _("message types"),
    Kind.CONTRACT: _("contracts"),
    Kind.QUEUE: _("queues"),
    Kind.SERVICE: _("services"),
    Kind.ROUTE: _("routes"),
    Kind.MASTER_KEY: _("master keys"),
    Kind.USER: _("users"),
    Kind.CERTIFICATE: _("certificates"),
    Kind.REMOTE_SERVICE_BINDING: _("remote service bindings"),
    Kind.PRIORITY: _("priorities"),
    Kind.EVENT_NOTIFICATION: _("event notifications"),
}


class Summarized(Protocol):
    """A row of the history or the log."""

    summary: str
    said: Any


def summary_of(row: Summarized) -> str:
    """The sentence of a decision in the asker's language; as it was written, where it is a person's own."""
    return worded(row.said, row.summary)


def kept(row: Summarized) -> dict[str, Any]:
    """The sentence of a decision inside the one of another."""
    return {"text": row.summary, "said": row.said}


def summary_now(text: str) -> str:
    """A sentence that is not stored yet, in the asker's language."""
    return worded(said_of(text), text)


def kind_word(kind: str) -> str:
    """A kind of objects in the asker's language, in the singular."""
    return sentence(kind.replace("-", " "))


def flow_words(flow: engine.what_if.FlowQuestion) -> str:
    """A flow in a sentence, in the asker's language."""
    return in_language(FLOW).format(
        service=flow.service, database=flow.database, instance=flow.instance, to_service=flow.to_service
    )


def finding_parameters(found: engine.diagnosis.Finding) -> dict[str, Any]:
    """What tells of a finding in a sentence: its rule and the object that it is about."""
    about = found.subject
    subject = {"kind": about.kind.value, "name": about.name, "instance": about.instance, "database": about.database}
    return {"finding": found.entry, "subject": subject}


def _finding(entry: str) -> str:
    code = entry.partition("/")[0]
    language = asked_language()
    known = engine.diagnosis.entries(language)
    if entry not in known:
        return code
    title = known[entry].title or known[code].title
    # German begins its nouns with a capital anyhow, and no other word of a title is known to be none.
    return f"{code}, {title if language == 'de' else title[0].lower() + title[1:]}"


def _subject(about: Mapping[str, Any]) -> str:
    subject = engine.diagnosis.Subject(
        kind=engine.diagnosis.ObjectKind(about["kind"]),
        name=about["name"],
        instance=about["instance"],
        database=about["database"],
    )
    return engine.diagnosis.subject_text(subject, asked_language())


register_sayings(
    TEMPLATES,
    {
        "kind": kind_word,
        "kinds": lambda kind: in_language(PLURALS[Kind(kind)]),
        "reason": sentence,
        "finding": _finding,
        "subject": _subject,
        "summary": lambda row: worded(row["said"], row["text"]),
    },
)

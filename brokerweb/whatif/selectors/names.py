"""Names in questions and faults, checked to exist and spelled as they are defined; what is not there comes with what
may have been meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

import msgspec
from django.utils.translation import gettext as _

from brokerweb.common.errors import MalformedRequest, ObjectNotFound
from brokerweb.topology.names import fold
from engine import api as engine

Name = TypeVar("Name", bound=str)
Kind = engine.what_if.FaultKind

_TAKES: Final = {
    Kind.INSTANCE: frozenset[str](),
    Kind.LINK: frozenset({"other"}),
    Kind.ENDPOINT: frozenset[str](),
    Kind.DATABASE: frozenset({"database"}),
    Kind.QUEUE: frozenset({"database", "queue"}),
    Kind.PARTNER: frozenset({"database"}),
}
"""What each kind of fault names beside its instance."""


class Places:
    """The names of one state of an estate."""

    def __init__(self, estate: str, catalogs: Mapping[str, engine.InstanceCatalog]) -> None:
        self._estate = estate
        self._catalogs = catalogs

    def question(self, asked: engine.what_if.FlowQuestion, pointer: str) -> engine.what_if.FlowQuestion:
        """The question with instance and database as they are spelled; `ObjectNotFound` when nobody could ask it.

        The service that is asked for need not be anywhere: that is a question like others.
        """
        instance = self.instance(asked.instance, f"{pointer}/instance")
        database = self.database(instance, asked.database, f"{pointer}/database")
        services = self._catalogs[instance].databases[database].services
        if asked.service not in services:
            raise ObjectNotFound(
                _("Database {database} on {instance} has no service {service}.").format(
                    database=database, instance=instance, service=asked.service
                ),
                why=_("Names of services are compared letter by letter, with case and accents."),
                cure=_near(asked.service, services) or _("Choose one of the services of the database."),
                pointer=f"{pointer}/service",
            )
        return msgspec.structs.replace(asked, instance=instance, database=database)

    def near_services(self, service: str) -> tuple[str, ...]:
        """Services that are called almost as one that is nowhere; none when it is somewhere."""
        names = [
            name
            for catalog in self._catalogs.values()
            for database in catalog.databases.values()
            for name in database.services
        ]
        return () if service in names else engine.diagnosis.near_names(service, names)

    def fault(self, given: engine.what_if.Fault, pointer: str) -> engine.what_if.Fault:
        """A fault with all names as they are spelled.

        Raises `ObjectNotFound` for what is not there, `MalformedRequest` for a name that its kind lacks or refuses.
        """
        _refuse_odd_names(given, pointer)
        instance = self.instance(given.instance, f"{pointer}/instance")
        if given.kind is Kind.ENDPOINT and self._catalogs[instance].endpoint is None:
            raise ObjectNotFound(
                _("{instance} has no endpoint that could be stopped.").format(instance=instance), pointer=pointer
            )
        spelled = msgspec.structs.replace(given, instance=instance)
        if given.other is not None:
            spelled = msgspec.structs.replace(spelled, other=self._far_end(instance, given.other, f"{pointer}/other"))
        if given.database is not None:
            database = self.database(instance, given.database, f"{pointer}/database")
            spelled = msgspec.structs.replace(spelled, database=database)
            if given.queue is not None:
                queue = self._queue(instance, database, given.queue, f"{pointer}/queue")
                spelled = msgspec.structs.replace(spelled, queue=queue)
        if given.kind is Kind.PARTNER:
            self._refuse_single(spelled, f"{pointer}/database")
        return spelled

    def instance(self, name: str, pointer: str | None = None) -> engine.InstanceName:
        """An instance as it is spelled; `ObjectNotFound`."""
        found = _spelled(name, self._catalogs)
        if found is None:
            raise ObjectNotFound(
                _("Estate {estate} has no instance {instance}.").format(estate=self._estate, instance=name),
                cure=_near(name, self._catalogs),
                pointer=pointer,
            )
        return engine.InstanceName(found)

    def database(self, instance: str, name: str, pointer: str | None = None) -> engine.DatabaseName:
        """A database as it is spelled; `ObjectNotFound`."""
        databases = self._catalogs[instance].databases
        found = _spelled(name, databases)
        if found is None:
            raise ObjectNotFound(
                _("Estate {estate} has no database {database} on instance {instance}.").format(
                    estate=self._estate, database=name, instance=instance
                ),
                cure=_near(name, databases),
                pointer=pointer,
            )
        return found

    def _queue(self, instance: str, database: str, name: str, pointer: str) -> engine.QueueName:
        queues = self._catalogs[instance].databases[engine.DatabaseName(database)].queues
        found = _spelled(name, queues) or _spelled(f"dbo.{name}", queues)
        if found is None:
            raise ObjectNotFound(
                _("Database {database} on {instance} has no queue {queue}.").format(
                    database=database, instance=instance, queue=name
                ),
                cure=_near(name, queues),
                pointer=pointer,
            )
        return found

    def _far_end(self, instance: str, other: str, pointer: str) -> engine.InstanceName:
        found = self.instance(other, pointer)
        if found == instance:
            raise MalformedRequest(
                _("A link from {instance} to itself cannot be cut.").format(instance=instance),
                why=_("What an instance sends to itself leaves over no network that others share."),
                cure=_("Name two instances."),
                pointer=pointer,
            )
        return found

    def _refuse_single(self, fault: engine.what_if.Fault, pointer: str) -> None:
        if not engine.what_if.partners_in(self._catalogs, fault.instance, fault.database):
            raise ObjectNotFound(
                _("Database {database} on {instance} has no copy that could take over.").format(
                    database=fault.database, instance=fault.instance
                ),
                why=_("A mirrored pair is two databases with one broker id, of which one names the other as partner."),
                cure=_("Choose a mirrored database, or suppose that this one is offline."),
                pointer=pointer,
            )


def _refuse_odd_names(given: engine.what_if.Fault, pointer: str) -> None:
    takes = _TAKES[given.kind]
    for field in ("other", "database", "queue"):
        is_given = getattr(given, field) is not None
        if is_given is (field in takes):
            continue
        text = (
            _("A fault of the kind {kind} takes no {field}.")
            if is_given
            else _("A fault of the kind {kind} needs {field}.")
        )
        raise MalformedRequest(text.format(kind=given.kind.value, field=field), pointer=f"{pointer}/{field}")


def _spelled(name: str, names: Iterable[Name]) -> Name | None:
    known = names if isinstance(names, Mapping) else list(names)
    if name in known:
        return name  # type: ignore[return-value]
    return next((each for each in known if fold(each) == fold(name)), None)


def _near(name: str, names: Iterable[str]) -> str:
    """What may have been meant, as a sentence; nothing when nothing is called almost so."""
    found = engine.diagnosis.near_names(name, names)
    return _("Perhaps you mean: {names}.").format(names=", ".join(found)) if found else ""

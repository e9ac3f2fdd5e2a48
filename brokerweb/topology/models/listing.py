"""Every object of every estate in one table, in the form in which lists ask for it.

A picture of the other tables: `services.listing` writes it in the transaction that writes them, and nothing is decided
by it.
"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.ddl_references import Statement

from brokerweb.topology.models.estates import Estate, Instance

NEVER = 253_402_300_800
"""`expires_at` of what does not expire, seconds since 1970, UTC: the end of the year 9999, so that it sorts last."""


class OrderedText(models.TextField):  # type: ignore[type-arg]
    """Text that sorts by code point, as Python sorts, whatever language the database has been told."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        """As of any text, with the collation that has no language."""
        found: dict[str, Any] = dict(super().db_parameters(connection))
        if connection.vendor == "postgresql":
            found["collation"] = "C"
        return found


class ListIndex(models.Index):
    """An index that also has the ids, so that a page is read out of it: on SQLite every index has them.

    Said here and not in the model, since Django warns of what SQLite has no words for.
    """

    def create_sql(
        self, model: type[models.Model], schema_editor: BaseDatabaseSchemaEditor, using: str = "", **kwargs: Any
    ) -> Statement:
        """As of any index, with the ids beside its columns on PostgreSQL."""
        if schema_editor.connection.vendor != "postgresql":
            return super().create_sql(model, schema_editor, using, **kwargs)
        wider = models.Index(fields=self.fields, include=("id",), name=self.name)
        return wider.create_sql(model, schema_editor, using, **kwargs)


class SearchedIndex(ListIndex):
    """One that on SQLite also has what texts are looked for in: it is read instead of the far wider rows.

    PostgreSQL takes at most 2,704 bytes for an entry, and reads rows fast enough.
    """

    def create_sql(
        self, model: type[models.Model], schema_editor: BaseDatabaseSchemaEditor, using: str = "", **kwargs: Any
    ) -> Statement:
        """As of any index, with one more column on SQLite."""
        if schema_editor.connection.vendor != "sqlite":
            return super().create_sql(model, schema_editor, using, **kwargs)
        wider = models.Index(fields=(*self.fields, "search"), name=self.name)
        return wider.create_sql(model, schema_editor, using, **kwargs)


class ListedObject(models.Model):
    """An object with what lists sort and filter by. What a kind has no use for is empty, 0 or `NEVER`, never null."""

    estate = models.ForeignKey(Estate, on_delete=models.CASCADE, related_name="+", db_index=False)
    instance = models.ForeignKey(Instance, on_delete=models.CASCADE, related_name="listed_objects", db_index=False)
    kind = models.CharField(max_length=32)
    database = models.CharField(max_length=128, blank=True)
    """As it is spelled; empty for what belongs to the instance."""
    database_key = models.CharField(max_length=384, blank=True)
    key = models.TextField()
    """The name in the form in which two spellings are one."""
    name = models.TextField()
    service_name = models.TextField(blank=True)
    """The service that it names, code unit by code unit."""
    value = models.TextField()
    """The definition in the engine's JSON form; keys in it are sealed."""
    place = OrderedText()
    """Instance and database, folded."""
    sort_name = OrderedText()
    sort_service = OrderedText(blank=True)
    sort_target = OrderedText(blank=True)
    """What else it leads to: an address, a queue, a user."""
    state = OrderedText(blank=True)
    is_on = models.BooleanField(default=False)
    expires_at = models.FloatField(default=NEVER)
    """Seconds since 1970, UTC."""
    level = models.IntegerField(default=0)
    """A number of the kind: level of a priority, port of an endpoint, message types of a contract."""
    search = models.TextField()
    """Everything a person may look for it by, without accents and letter case."""

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("instance", "kind", "database_key", "key"), name="listed_object_unique"),
        )
        indexes = (
            SearchedIndex(fields=("estate", "kind", "sort_name"), name="listed_by_name"),
            ListIndex(fields=("estate", "kind", "place", "sort_name"), name="listed_by_place"),
            ListIndex(fields=("estate", "kind", "sort_service", "sort_name"), name="listed_by_service"),
            ListIndex(fields=("estate", "kind", "sort_target", "sort_name"), name="listed_by_target"),
            ListIndex(fields=("estate", "kind", "expires_at", "sort_name"), name="listed_by_expiry"),
            ListIndex(fields=("estate", "kind", "state", "sort_name"), name="listed_by_state"),
            ListIndex(fields=("estate", "kind", "level", "sort_name"), name="listed_by_level"),
            ListIndex(fields=("estate", "kind", "is_on", "sort_name"), name="listed_by_switch"),
            models.Index(fields=("estate", "service_name", "kind"), name="listed_by_exact_service"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

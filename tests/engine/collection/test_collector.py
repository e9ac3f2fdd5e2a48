"""`docs/collect/collect.sql` reads what there is to read, and writes nothing."""

import re

from engine.collection import document
from engine.core.system_views.query import SYSTEM_VIEWS
from tests.support.collecting import COLLECTOR, HERE, columns_by_view

# Of views that the engine does not answer, or not with all columns: the vendor's pages of catalog views
# (https://learn.microsoft.com/en-us/sql/relational-databases/system-catalog-views/).
ELSEWHERE = {
    "schemas": {"schema_id", "name"},
    "xml_schema_collections": {"xml_collection_id", "schema_id", "name"},
    "database_principals": {"principal_id", "name", "type", "sid"},
    "database_permissions": {"class", "major_id", "grantee_principal_id", "permission_name", "state"},
    "server_principals": {"principal_id", "name", "type", "sid"},
    "server_permissions": {"class", "major_id", "grantee_principal_id", "permission_name", "state"},
    "databases": {"state", "is_read_only", "user_access", "source_database_id"},
    "database_mirroring": {"database_id", "mirroring_guid", "mirroring_role", "mirroring_partner_name"},
}
TEXT = COLLECTOR.read_text("utf-8")
CODE = re.sub(r"--.*", "", TEXT)
KNOWN = {view.name.removeprefix("sys."): {column.name for column in view.columns} for view in SYSTEM_VIEWS}


def test_every_view_and_column_exists():
    selected = columns_by_view()
    assert len(selected) >= 20
    for view, columns in selected.items():
        assert set(columns) <= KNOWN.get(view, set()) | ELSEWHERE.get(view, set()), view


def test_every_view_that_is_read_is_looked_at_by_this_test():
    read = set(re.findall(r"(?:FROM|JOIN)\s+sys\.(\w+)", CODE))
    assert read == set(columns_by_view())
    # Of sys.all_columns only the number of its rows is of use.
    assert read - HERE - set(ELSEWHERE) == {"all_columns"}


def test_nothing_is_written():
    words = {word.upper() for word in re.findall(r"[A-Za-z_]+", re.sub(r"\bAS \w+", "", CODE))}
    writing = {
        "INSERT", "UPDATE", "DELETE", "MERGE", "INTO", "CREATE", "ALTER", "DROP", "TRUNCATE", "GRANT", "DENY", "REVOKE",
        "BACKUP", "RESTORE", "DBCC", "KILL", "SHUTDOWN", "RECONFIGURE", "BEGIN_DIALOG", "CONVERSATION",
        "BULK", "OPENROWSET", "XP_CMDSHELL", "WRITETEXT", "UPDATETEXT", "USE",
    }  # fmt: skip
    assert not words & writing
    # The only thing that is run is the text inside, in each database; SEND and RECEIVE are names of permissions there.
    assert re.findall(r"\bEXEC\b.*", CODE) == [
        "EXEC @procedure @inside, N'@found nvarchar(max) OUTPUT', @found = @found OUTPUT;"
    ]
    assert re.findall(r"\b(?:SEND|RECEIVE)\b", CODE) == ["SEND", "RECEIVE"]
    assert "IN (N''SEND'', N''RECEIVE'')" in CODE


def test_what_it_writes_the_reader_knows_and_expects_nothing_else():
    written = {name: set(columns) for name, columns in columns_by_view().items()}
    written["certificates"].add("encoded")
    written["transmission_queue"] = written["transmission_queue"] - {"enqueue_time"} | {"messages", "oldest"}
    read = {**document.DatabaseViews.__annotations__, **document.Document.__annotations__}
    assert len(read) > 15
    for view, annotation in read.items():
        if (row := re.search(r"tuple\[(\w+),", annotation)) is not None and view != "databases":
            assert set(getattr(document, row[1]).__struct_encode_fields__) == written[view], view
    of_database = set(document.DatabaseRow.__struct_encode_fields__) - {"database_mirroring", "problem", "sys"}
    assert of_database == written["databases"] - {"source_database_id"}

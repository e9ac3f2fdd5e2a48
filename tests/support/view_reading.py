"""Reading system views in tests: rows as dictionaries."""

from engine.core.exchange.system_views import ColumnFilter, SystemViewQuery, SystemViewRows


def page_of(node, view, database=None, *, where=(), **fields) -> SystemViewRows:
    """A page of a view; `where` are pairs of column and text."""
    filters = tuple(ColumnFilter(column=column, value=value) for column, value in dict(where).items())
    return node.instance.system_view(SystemViewQuery(view=view, database=database, filters=filters, **fields))


def rows_of(node, view, database=None, **fields) -> list[dict]:
    """The rows of a page, each by column."""
    page = page_of(node, view, database, **fields)
    names = [column.name for column in page.columns]
    return [dict(zip(names, row, strict=True)) for row in page.rows]

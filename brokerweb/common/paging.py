"""Pages of lists that are known in whole."""

from __future__ import annotations


def shown_page(asked: int, total: int, rows: int) -> tuple[int, int, slice]:
    """The page that is shown, how many there are, and which of the rows it has.

    A page beyond the last one is the last one: rows may have gone, or a filter leaves fewer.
    """
    pages = max(1, -(-total // rows))
    page = min(asked, pages)
    return page, pages, slice((page - 1) * rows, page * rows)

"""Pages of lists: every row on one of them, and none beyond the last."""

from hypothesis import given
from hypothesis import strategies as st

from brokerweb.common.paging import shown_page


@given(total=st.integers(0, 500), rows=st.integers(1, 50), beyond=st.integers(1, 10**6))
def test_the_pages_have_each_row_once_and_there_is_none_beyond_the_last(total, rows, beyond):
    everything = list(range(total))
    _, pages, _ = shown_page(1, total, rows)
    shown = [row for number in range(1, pages + 1) for row in everything[shown_page(number, total, rows)[2]]]
    assert shown == everything
    assert shown_page(pages + beyond, total, rows) == shown_page(pages, total, rows)
    assert total == 0 or everything[shown_page(pages, total, rows)[2]]

"""Finding names without regard to letter case: the right one, and without looking at all the others."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contracts.codec import catalog_decoder, json_encoder
from engine.core.catalog.names import spelling_in
from engine.core.catalog.revision import new_instance
from engine.core.catalog.spelled_dict import SpelledDict
from engine.core.vocabulary.identifiers import MSDB, InstanceName
from tests.support.numbered_entropy import NumberedEntropy

names = st.sampled_from(["a", "A", "b", "B", "ß", "SS", "ss", "ç", "Ç"])
steps = st.lists(st.tuples(st.booleans(), names, names), max_size=30)


class CountedName(str):
    """A name that counts how often it is folded."""

    folded = 0

    def casefold(self) -> str:
        CountedName.folded += 1
        return super().casefold()


@given(steps)
def test_it_finds_what_a_search_of_all_names_finds(taken: list[tuple[bool, str, str]]) -> None:
    spelled, plain = SpelledDict[str, int](), dict[str, int]()
    for number, (is_added, name, asked) in enumerate(taken):
        for target in (spelled, plain):
            if is_added:
                target[name] = number
            elif name in target:
                del target[name]
        assert spelling_in(spelled, asked) == spelling_in(plain, asked)
    assert spelled == plain


def test_each_name_is_folded_a_few_times_however_many_there_are() -> None:
    CountedName.folded = 0
    spelled = SpelledDict[CountedName, int]()
    for number in range(1000):
        name = CountedName(f"R{number}")
        assert spelling_in(spelled, name) is None
        spelled[name] = number
    assert CountedName.folded <= 3000
    assert spelling_in(spelled, "r999") == "R999"


def test_a_copy_knows_its_own_names() -> None:
    first = SpelledDict({"A": 1})
    assert first.spelling_of("a") == "A"
    second = copy.deepcopy(first)
    del second["A"]
    assert (first.spelling_of("a"), second.spelling_of("a")) == ("A", None)


def test_it_is_changed_in_two_ways_only() -> None:
    with pytest.raises(TypeError):
        SpelledDict({"a": 1}).pop("a")


def test_catalogs_have_it_also_when_they_come_from_a_store() -> None:
    catalog = new_instance(InstanceName("PARIS"), NumberedEntropy())
    again = catalog_decoder.decode(json_encoder.encode(catalog))
    assert again == catalog
    for one in (catalog, again):
        msdb = one.databases[MSDB]
        assert all(isinstance(found, SpelledDict) for found in (one.databases, msdb.queues, msdb.routes))

"""A dictionary that finds a name without regard to letter case as fast as with it."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

Name = TypeVar("Name", bound=str)
Value = TypeVar("Value")


class SpelledDict(dict[Name, Value]):
    """A dictionary by name that also knows each key by what its spellings have in common.

    The folded names are gathered at the first look-up that needs them and kept up to date from then on. Only
    assignment and `del` change the dictionary; the other ways are closed, since the folded names would not follow.
    """

    _by_folded_name: dict[str, Name] | None = None

    def spelling_of(self, name: str) -> Name | None:
        """The key that is `name` without regard to letter case; of several the first. None when there is none."""
        if self._by_folded_name is None:
            # Backwards, so that the first of several is written last.
            self._by_folded_name = {key.casefold(): key for key in reversed(self)}
        return self._by_folded_name.get(name.casefold())

    def __setitem__(self, key: Name, value: Value) -> None:
        super().__setitem__(key, value)
        if self._by_folded_name is not None:
            self._by_folded_name.setdefault(key.casefold(), key)

    def __delitem__(self, key: Name) -> None:
        has_twins = self._by_folded_name is not None and len(self._by_folded_name) < len(self)
        super().__delitem__(key)
        if has_twins:
            self._by_folded_name = None
        elif self._by_folded_name is not None:
            del self._by_folded_name[key.casefold()]

    def _closed(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a SpelledDict is changed by assignment and del only")

    pop = popitem = setdefault = update = clear = __ior__ = _closed

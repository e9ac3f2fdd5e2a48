"""`Snapshot`: a sandbox as it was at one moment, kept in memory, from which any number of copies can be made.

It is for the process that has made it: code, and values that nobody changes, are referred to and not written down. So
it is no second description of a world, only a way to have one twice: what a copy does is what the original would do.
"""

from __future__ import annotations

import io
import pickle
import sys
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Final, get_args

from engine.core.exchange.events import BrokerEvent
from engine.sandbox.sandbox import Sandbox
from engine.sim.securing import VAULT

_SHARED_BYTES: Final = 64
"""What a reference to a shared value costs, roughly."""


_SHARED_TYPES: Final = frozenset({CodeType, ModuleType, type(VAULT), *get_args(BrokerEvent)})


class Snapshot:
    """Not responsible for knowing where in its log a sandbox was: the copy tells that itself."""

    def __init__(self, sandbox: Sandbox) -> None:
        """Take it. Raises `TypeError` for a sandbox that is hashed: the state of a hash cannot be copied.

        `RecursionError` where objects hang on one another in a chain that is too long for Python.
        """
        if sandbox.hash:
            raise TypeError("a sandbox that folds everything into a hash is not copied")
        self.sequence: Final = sandbox.sequence
        self.seconds: Final = sandbox.seconds
        written = io.BytesIO()
        pickler = _Pickler(written)
        pickler.dump(sandbox)
        self._bytes: Final = written.getvalue()
        self._shared: Final = tuple(pickler.shared)

    @property
    def size(self) -> int:
        """Bytes that it holds, roughly; what it shares with the sandbox does not count."""
        return len(self._bytes) + _SHARED_BYTES * len(self._shared)

    def copy(self) -> Sandbox:
        """A sandbox of one's own in that state."""
        found = _Unpickler(io.BytesIO(self._bytes), self._shared).load()
        assert isinstance(found, Sandbox), "nothing else was written"
        return found


class _Pickler(pickle.Pickler):
    """Writes closures as what they are made of, and refers to what is shared."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.shared: list[object] = []

    def persistent_id(self, value: object) -> int | None:
        if type(value) not in _SHARED_TYPES:
            return None
        self.shared.append(value)
        return len(self.shared) - 1

    def reducer_override(self, value: Any) -> Any:
        if type(value) is CellType:
            return _cell, (), value.cell_contents, None, None, _fill
        if type(value) is FunctionType and (value.__closure__ or "<" in value.__qualname__):
            return _function, (value.__module__, value.__code__, value.__name__, value.__defaults__, value.__closure__)
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, shared: tuple[object, ...]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_load(self, number: Any) -> object:
        return self._shared[number]


def _cell() -> CellType:
    return CellType()


def _fill(cell: CellType, value: object) -> None:
    cell.cell_contents = value


def _function(
    module: str, code: CodeType, name: str, defaults: tuple[Any, ...] | None, closure: tuple[CellType, ...] | None
) -> FunctionType:
    return FunctionType(code, vars(sys.modules[module]), name, defaults, closure)

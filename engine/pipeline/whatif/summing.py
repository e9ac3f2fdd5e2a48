"""What a chart shows of a run of `whatif`, made of its flows and verdicts: no conversation is looked at again.

There are as many flows as pairs of a sender and a target, whatever the number of conversations. They are in the memory
of this process anyway, where summing them is a matter of milliseconds; jobs of Spark for it would take seconds.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.whatif.disposition import FlowChange

_FLOW: Final = ("instance", "database", "service", "direction", "to_service")
_CHANGE: Final = ("flow", "revision", "change")
_STEP: Final = ("from_instance", "instance")
_Numbers = npt.NDArray[np.int64]


def changes(flows: pa.Table, verdicts: pa.Table) -> pa.Table:
    """`revision`, `change`, names: of every revision but the first, how many flows and conversations became what.

    `flows` stand at the place of their number.
    """
    told = verdicts.select(_CHANGE).filter(pc.is_valid(verdicts["change"]))
    of_flows = flows.select([*_FLOW, "conversations"]).take(told["flow"])
    rows = pa.table(
        [told["revision"], told["change"], *of_flows.columns], ["revision", "change", *of_flows.schema.names]
    )
    keys = ["revision", "change", *_FLOW]
    summed = rows.group_by(keys).aggregate([([], "count_all"), ("conversations", "sum")])
    return summed.select([*keys, "count_all", "conversations_sum"]).rename_columns([*keys, "flows", "conversations"])


def heat(flows: pa.Table, verdicts: pa.Table) -> pa.Table:
    """`revision`, `change`, `from_instance`, `instance`: conversations whose way changes and led, or leads, there.

    `from_instance` is null where the way begins. A flow counts once for each step, whether it took it before the
    change, takes it after it, or both.
    """
    verdicts = verdicts.combine_chunks()
    is_touched = pc.not_equal(verdicts["change"], FlowChange.UNCHANGED.value).fill_null(False)
    after = np.flatnonzero(is_touched.to_numpy())
    told = verdicts.select(_CHANGE).take(pa.array(after))
    before = _first_verdicts(flows.num_rows, verdicts)[told["flow"].to_numpy()]
    changed, taken = _steps_of(verdicts, np.concatenate([before, after]))
    # The rows of before and those of after are the same changes once more.
    changed %= max(len(after), 1)
    steps = pa.table([pa.array(changed), *taken.columns], ["at", *_STEP]).group_by(["at", *_STEP]).aggregate([])
    of_changes = told.take(steps["at"])
    rows = pa.table(
        {
            "revision": of_changes["revision"],
            "change": of_changes["change"],
            **{name: steps[name] for name in _STEP},
            "conversations": flows["conversations"].take(of_changes["flow"]),
        }
    )
    keys = ["revision", "change", *_STEP]
    summed = rows.group_by(keys).aggregate([("conversations", "sum")])
    return summed.select([*keys, "conversations_sum"]).rename_columns([*keys, "conversations"])


def _first_verdicts(flows: int, verdicts: pa.Table) -> _Numbers:
    """Where the verdict of each flow under the first revision stands."""
    places = np.zeros(flows, np.int64)
    first = np.flatnonzero(pc.is_null(verdicts["change"]).to_numpy())
    places[verdicts["flow"].to_numpy()[first]] = first
    return places


def _steps_of(verdicts: pa.Table, rows: _Numbers) -> tuple[_Numbers, pa.Table]:
    """The steps from one instance to another one that the ways of some verdicts have.

    For each step, which of `rows` it is of, by its place among these; and `from_instance`, `instance`.
    """
    found, names = _places_of(verdicts.select(["hops", "end_instance"]).take(pa.array(rows)))
    names = pc.dictionary_encode(names)
    numbers = names.indices.to_numpy().astype(np.int64)
    is_first = np.append(True, found[1:] != found[:-1])[: len(found)]
    earlier = np.where(is_first, -1, np.roll(numbers, 1))
    is_step = earlier != numbers
    earlier, later = earlier[is_step], numbers[is_step]
    begins = pa.array(earlier, pa.int64(), mask=earlier < 0)
    taken = [names.dictionary.take(begins), names.dictionary.take(pa.array(later, pa.int64()))]
    return found[is_step], pa.table(taken, list(_STEP))


def _places_of(ways: pa.Table) -> tuple[_Numbers, pa.Array]:
    """Instances that have decided, and the one where the way ends: the place of the way, and the name, in order."""
    ways = ways.combine_chunks()
    hops, ends = (_array(ways[name]) for name in ("hops", "end_instance"))
    at_hops, at_ends = pc.list_parent_indices(hops).to_numpy().astype(np.int64), np.arange(ways.num_rows)
    found = np.concatenate([at_hops, at_ends])
    names = pa.concat_arrays([pc.list_flatten(hops), ends])
    # Stable: an end comes behind the hops of its way, which are in their order already.
    order = np.argsort(found, kind="stable")
    order = order[pc.is_valid(names).to_numpy(zero_copy_only=False)[order]]
    return found[order], names.take(pa.array(order))


def _array(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)

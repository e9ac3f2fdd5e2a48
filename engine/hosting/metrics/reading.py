"""What is measured of one instance: its figures, and the counters under the vendor's names (views.md 6).

The counters are those of `sys.dm_os_performance_counters`: they are counted in one place.
"""

from __future__ import annotations

import msgspec

from engine.core.system_views.counter_views import CounterRow
from engine.hosting.leases import InstanceFigures
from engine.hosting.shelf import InstanceKey


class InstanceReading(msgspec.Struct, frozen=True, kw_only=True):
    """One instance at one moment. One that has failed has no counters, and `figures` say why."""

    key: InstanceKey
    figures: InstanceFigures
    counters: tuple[CounterRow, ...] = ()

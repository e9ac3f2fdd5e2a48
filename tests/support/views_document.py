"""The generated parts of docs/protocol/views.md: views with their columns, trace classes, counters."""

from pathlib import Path

from engine.core.handlers.broker import Broker
from engine.core.system_views.conversation_views import queue_contents
from engine.core.system_views.counter_views import ACTIVATION, counters_of
from engine.core.system_views.query import SYSTEM_VIEWS
from engine.core.system_views.reading import ViewReader
from engine.core.trace.classes import TRACE_CLASSES
from engine.core.trace.rows import TRACE_RULES
from engine.core.transmission.work_table import MemoryWorkTable
from tests.support.world import World

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol" / "views.md"


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    return {"views": _views(), "classes": _classes(), "events": _events(), "counters": _counters()}


def _views() -> str:
    parts = []
    for view in (*SYSTEM_VIEWS, queue_contents("(a queue)")):
        parts.append(f"\n### {view.name}\n")
        parts.append(f"{view.about} Rows: of the {view.scope.value}.\n")
        parts.append("| column | type | NULL | meaning |\n|---|---|---|---|")
        for column in view.columns:
            null = "yes" if column.nullable else "no"
            parts.append(f"| {column.name} | {column.type} | {null} | {column.meaning} |")
        if view.differs:
            parts.append("\nDiffers from the vendor's:\n")
            parts.extend(f"- {sentence}" for sentence in view.differs)
    return "\n".join([*parts, ""])


def _classes() -> str:
    rows = ["", "| no. | class | subclasses | told by |", "|---:|---|---|---|"]
    for kind, description in TRACE_CLASSES.items():
        told_by = ", ".join(f"`{event.__name__}`" for event, rule in TRACE_RULES.items() if kind in rule.classes)
        subclasses = " · ".join(f"{number} {name}" for number, name in enumerate(description.subclasses, start=1))
        rows.append(f"| {kind.value} | {description.name} | {subclasses or '-'} | {told_by or 'not yet told'} |")
    return "\n".join([*rows, ""])


def _events() -> str:
    untraced = {event.__name__: rule.instead for event, rule in TRACE_RULES.items() if not rule.classes}
    rows = [f"| `{name}` | {instead} |" for name, instead in untraced.items()]
    return "\n".join(["", "| event | the vendor tells it by |", "|---|---|", *rows, ""])


def _counters() -> str:
    rows = ["", "| object | counter | read as |", "|---|---|---|"]
    for counter in counters_of(reader_of_an_empty_instance()):
        if counter.object != ACTIVATION or counter.instance == "_Total":
            rows.append(f"| {counter.object} | {counter.name} | {counter.type.name.lower().replace('_', ' ')} |")
    return "\n".join([*rows, ""])


def reader_of_an_empty_instance() -> ViewReader:
    """A look at an instance that has master and msdb only."""
    world = World()
    node = world.instance("PARIS")
    broker = Broker(node.instance.catalog, world.settings, world.entropy, lambda *_, **__: None, MemoryWorkTable())
    return ViewReader(broker, node.instance.catalog.databases["master"])

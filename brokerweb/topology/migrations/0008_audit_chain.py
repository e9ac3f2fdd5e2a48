"""Every decision gets its place in the hash chain; those that there are, as they stand now."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models

from brokerweb.topology.audit_chain import content_digest, link_digest
from brokerweb.topology.selectors.audit_links import link_of


def chain_decisions(apps: Any, schema_editor: Any) -> None:
    alias = schema_editor.connection.alias
    decisions = apps.get_model("topology", "Decision").objects.using(alias)
    for estate in apps.get_model("topology", "Estate").objects.using(alias).all():
        rows = decisions.filter(estate=estate).select_related("estate", "author", "change_set").order_by("sequence")
        previous = ""
        for pk in list(rows.values_list("pk", flat=True)):
            row = rows.defer("changes", "inverse", "touched").get(pk=pk)
            row.author_name = "" if row.author is None else row.author.username
            content = content_digest(row.summary, [row.objects_changed])
            row.digest = previous = link_digest(previous, link_of(row, content))
            row.save(update_fields=["author_name", "digest"])


class Migration(migrations.Migration):
    dependencies = [
        ("topology", "0007_findings"),
    ]

    operations = [
        migrations.AddField("estate", "settled_count", models.PositiveIntegerField(default=0)),
        migrations.AddField("decision", "author_name", models.CharField(blank=True, default="", max_length=150), False),
        migrations.AddField("decision", "digest", models.CharField(blank=True, default="", max_length=64), False),
        migrations.AddField(
            "decision", "filled_digest", models.CharField(blank=True, default="", max_length=64), False
        ),
        migrations.RunPython(chain_decisions, migrations.RunPython.noop),
    ]

from django.db import migrations, models
from django.db.models import Count, Sum
from django.db.models.functions import Length

from engine import api as engine

ROW_BYTES = 256


def hide_passwords(apps, schema_editor):
    """Scripts were kept as they were typed."""
    scripts = apps.get_model("training", "TrainingScript").objects
    for row in scripts.iterator(chunk_size=100):
        before = bytes(row.script)
        after = engine.console.without_passwords(before.decode("utf-8", "replace")).encode("utf-8", "replace")
        if after != before:
            scripts.filter(pk=row.pk).update(script=after)


def count_bytes(apps, schema_editor):
    """What runs of before keep."""
    kept = {}
    for model, column in (("TrainingEntry", "action"), ("TrainingScript", "script")):
        rows = apps.get_model("training", model).objects.order_by().values("session")
        for row in rows.annotate(size=Sum(Length(column)), rows=Count("pk")):
            kept[row["session"]] = kept.get(row["session"], 0) + row["size"] + row["rows"] * ROW_BYTES
    sessions = apps.get_model("training", "TrainingSession").objects
    for session, size in kept.items():
        sessions.filter(pk=session).update(kept_bytes=size)


class Migration(migrations.Migration):
    dependencies = [
        ("training", "0002_bounds"),
    ]

    operations = [
        migrations.AddField(
            model_name="trainingsession",
            name="kept_bytes",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="trainingsession",
            name="has_replay",
            field=models.BooleanField(default=True),
        ),
        migrations.RunPython(hide_passwords, migrations.RunPython.noop),
        migrations.RunPython(count_bytes, migrations.RunPython.noop),
    ]

"""The indexes of lists have the ids on PostgreSQL too, so that a page is read out of them."""

from django.db import migrations

from brokerweb.topology.models.listing import ListIndex, SearchedIndex

COLUMNS = {
    "listed_by_place": ("place", "sort_name"),
    "listed_by_service": ("sort_service", "sort_name"),
    "listed_by_target": ("sort_target", "sort_name"),
    "listed_by_expiry": ("expires_at", "sort_name"),
    "listed_by_state": ("state", "sort_name"),
    "listed_by_level": ("level", "sort_name"),
    "listed_by_switch": ("is_on", "sort_name"),
}


class Migration(migrations.Migration):
    dependencies = [
        ("topology", "0012_content_in_parts"),
    ]

    operations = [
        *(migrations.RemoveIndex("listedobject", name) for name in ("listed_by_name", *COLUMNS)),
        migrations.AddIndex(
            "listedobject", SearchedIndex(fields=["estate", "kind", "sort_name"], name="listed_by_name")
        ),
        *(
            migrations.AddIndex("listedobject", ListIndex(fields=["estate", "kind", *columns], name=name))
            for name, columns in COLUMNS.items()
        ),
    ]

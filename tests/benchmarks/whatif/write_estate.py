"""A made-up estate, written into the database of a data directory that nobody serves yet.

`python -m tests.benchmarks.whatif.write_estate INSTANCES DATABASES ROUTES REGIONS`, with `BROKERWEB_DATA`. Instances
and databases come to their engines as all others do, when the product is started on that directory.
"""

from __future__ import annotations

import os
import sys

from tests.benchmarks.whatif.estate import Estate, Size, make_estate

ESTATE = "large"


def write(estate: Estate) -> None:
    """The first revision of an estate: every instance as it is."""
    from brokerweb.topology.models import Estate as EstateRow
    from brokerweb.topology.models import Instance
    from brokerweb.topology.names import fold
    from brokerweb.topology.services.revision import InstanceStep, revision_write
    from engine import api as engine

    row = EstateRow.objects.create(name=ESTATE, pace=1.0)
    steps = []
    for catalog in estate.values():
        instance = Instance.objects.create(estate=row, name=catalog.name, folded_name=fold(catalog.name))
        empty = engine.InstanceCatalog(name=catalog.name)
        steps.append(InstanceStep(instance, empty, catalog, engine.diff_catalogs(empty, catalog)))
    revision_write(row, steps, user=None, summary="A large estate")


def main() -> None:
    """Migrate and write."""
    import django
    from django.core.management import call_command

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerweb.config.settings.dev")
    django.setup()
    call_command("migrate", verbosity=0, interactive=False)
    instances, databases, routes, regions = map(int, sys.argv[1:])
    write(make_estate(Size(instances=instances, databases=databases, routes=routes, regions=regions)))


if __name__ == "__main__":
    main()

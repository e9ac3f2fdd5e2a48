"""Makes the dashboard's tables as the models say, not by their migrations one after the other, which takes far longer.

`python -m tests.engine.hosting.made_tables`, with the environment of a worker.
"""

import django
from django.apps import apps
from django.conf import settings
from django.core.management import call_command

if __name__ == "__main__":
    django.setup()
    settings.MIGRATION_MODULES = {application.label: None for application in apps.get_app_configs()}
    call_command("migrate", run_syncdb=True, verbosity=0, skip_checks=True)

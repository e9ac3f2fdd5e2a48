"""What a worker's own process loads (brokerweb/config/celery)."""

import os
import subprocess
import sys
from pathlib import Path

LOADED = """
import sys
from brokerweb.config.celery import celery_app
celery_app.loader.import_default_modules()
assert any(name.startswith("engine.") for name in celery_app.tasks)
print(*sorted(name for name in sys.modules if name.startswith(("brokerweb.", "ninja"))))
"""


def test_a_worker_knows_its_tasks_and_loads_no_page(tmp_path: Path):
    environment = {**os.environ, "BROKERWEB_DATA": str(tmp_path)}
    environment.pop("CELERY_SKIP_CHECKS", None)
    loaded = subprocess.run(
        [sys.executable, "-c", LOADED], env=environment, capture_output=True, text=True, check=True, timeout=120
    ).stdout.split()
    assert "brokerweb.config.settings.base" in loaded
    assert not [name for name in loaded if name.endswith((".urls", ".views", ".api")) or name == "ninja"]

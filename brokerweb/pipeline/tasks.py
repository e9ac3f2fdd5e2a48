"""What workers do for bulk questions: jobs, whose kinds are known once this is imported."""

from __future__ import annotations

import brokerweb.pipeline.services.working  # noqa: F401

"""What workers do for what-ifs: jobs alone, whose kinds are known once this is imported."""

from __future__ import annotations

import brokerweb.whatif.services.simulations  # noqa: F401

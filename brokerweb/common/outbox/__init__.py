"""Changes that are decided but not yet delivered to the engine."""

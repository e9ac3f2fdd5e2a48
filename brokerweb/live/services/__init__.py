"""What the live view does: share reads of the engine, and tell one browser what changed."""

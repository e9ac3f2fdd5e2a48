"""Service queues: what waits for an application."""

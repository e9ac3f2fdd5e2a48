"""Orchestration over ports: one driver, one order. Still no input or output of its own."""

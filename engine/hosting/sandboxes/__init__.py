"""Sandboxes in a process that has clocks and threads: kept by their logs, asked through the client as estates are."""

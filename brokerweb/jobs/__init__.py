"""Work that takes longer than a request: rows with a state, progress, a heartbeat and a result."""

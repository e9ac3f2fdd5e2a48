"""What Prometheus is told of a web process: requests, websockets, jobs, the outbox, and instances hosted in it."""

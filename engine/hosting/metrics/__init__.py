"""What Prometheus is told of a worker: the vendor's counters of each instance, and how each instance is."""

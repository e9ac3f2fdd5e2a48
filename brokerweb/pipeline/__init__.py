"""Bulk questions on Spark: jobs from a lake of events to tables (docs/operations/spark.md)."""

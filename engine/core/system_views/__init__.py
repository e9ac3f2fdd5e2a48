"""The vendor's catalog views and DMVs as queries on the state of an instance (views.md 1, 2, 6)."""

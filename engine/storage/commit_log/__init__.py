"""What an instance commits is appended to a log first and folded into its SQLite file later (ADR 22)."""

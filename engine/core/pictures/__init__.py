"""What a view of an instance shows at one event, and what of it has changed since an earlier one (ADR 25)."""

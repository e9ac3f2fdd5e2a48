"""What must hold in every run: one property, one checker, one file."""

"""The HTTP side of what-ifs."""

"""Mirrored routes: finding the principal of a mirrored pair, and claiming to be one (mirroring.md 3, 4)."""

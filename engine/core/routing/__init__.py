"""Where a message goes next: match, choose, locate, and the proof of it (routing.md 2-4)."""

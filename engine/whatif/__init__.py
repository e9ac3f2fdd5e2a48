"""Questions to a network that is not running: what would happen, and the proof in words."""

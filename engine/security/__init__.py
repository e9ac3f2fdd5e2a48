"""Keys and certificates: the only room that computes with `cryptography` for dialogs. Not part of the core."""

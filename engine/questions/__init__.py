"""Questions to an estate whose answers are tables; each can also tell what differs between two states of it."""

"""What would happen: questions about an estate as it is wanted, was once, or would be with a change set."""

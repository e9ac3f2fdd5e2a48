"""What goes into an `Instance` and what comes out: commands, state changes, events, and the outcome that holds them."""

"""Which addresses can be reached now, and who waits for them."""

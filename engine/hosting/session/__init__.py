"""Sessions: programs that ask an instance over a socket of their own, without a task for each of their commands."""

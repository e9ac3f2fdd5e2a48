"""The one process of `make run`: its lock, its address, its first start, its helpers, its end."""

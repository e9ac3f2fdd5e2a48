"""The console over HTTP."""

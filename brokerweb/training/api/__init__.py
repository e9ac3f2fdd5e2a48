"""The operator training over HTTP."""

"""The wanted topology over HTTP: shapes in, shapes out, no decisions."""

"""The HTTP server under Django: how large requests, how many connections, how slow clients may be."""

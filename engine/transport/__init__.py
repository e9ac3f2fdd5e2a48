"""Sockets: the listener and the outgoing connections of an instance, on asyncio. All of it runs on one event loop."""

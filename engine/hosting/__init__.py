"""Where instances live: a Celery worker that carries an event loop with sockets, files and drivers. Celery lives here.

Read `host.py` first (what a hosted instance is), then `bootstep.py` and `tasks.py` (how a worker carries it), then
`client.py` (how everybody else reaches it).
"""

"""One module of Django settings per way of running: `dev` on this machine, `test`, `prod`."""

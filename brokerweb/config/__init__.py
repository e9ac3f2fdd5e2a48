"""How the dashboard is put together: environment, settings, addresses, and the processes it runs in."""

"""The dashboard: what is wanted, who may change it, and how it is shown."""

"""Who hosts which instance: the engine's book of leases, kept in the dashboard's database."""

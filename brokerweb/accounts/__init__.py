"""Who may do what: users, roles, one-time login links."""

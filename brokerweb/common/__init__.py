"""What every app of the dashboard shares: problems, their HTTP form, wake-ups, the outbox."""

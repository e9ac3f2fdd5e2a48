"""What applications do: parties to dialogs, the ways in which queues are read, and all of it together."""

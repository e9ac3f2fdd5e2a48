"""What what-ifs read and compute; nothing here writes."""

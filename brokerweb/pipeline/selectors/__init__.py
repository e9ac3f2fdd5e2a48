"""What is shown of the lake, of runs, and of their tables."""

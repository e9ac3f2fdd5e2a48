"""What is done to runs of test traffic."""

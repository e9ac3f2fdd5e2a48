"""What sends test traffic: a loop for each run, in a worker that takes tasks of the web."""

"""What is done to the lake and with it: exports, imports of traces, runs of jobs."""

"""The lake, runs of jobs and their tables over HTTP."""

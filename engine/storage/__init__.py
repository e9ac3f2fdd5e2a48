"""Where the state of an instance is kept: one SQLite file each, or memory under the same contract. SQL lives here."""

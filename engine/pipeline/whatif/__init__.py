"""What becomes of conversations under other definitions: `interning` takes them in, `job` asks the engine."""

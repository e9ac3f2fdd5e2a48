"""Test traffic: messages that an estate sends to itself, so that people see it breathe."""

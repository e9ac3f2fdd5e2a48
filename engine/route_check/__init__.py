"""Tests for routing tables: cases read from YAML, put to the router, judged, and told with their proof."""

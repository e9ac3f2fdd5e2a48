"""What the tests of the dashboard share."""

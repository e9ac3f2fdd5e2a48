"""The wanted state: estates, their instances and everything defined in them, revision by revision."""

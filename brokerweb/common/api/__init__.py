"""The HTTP habits of the API: problems, revisions, rights, names in addresses."""

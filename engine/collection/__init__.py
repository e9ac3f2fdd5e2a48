"""What a real server says of itself: the document of docs/collect/collect.sql, read into the plan of an import."""

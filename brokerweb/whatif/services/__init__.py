"""What is begun for a what-if: work that takes longer than a request."""

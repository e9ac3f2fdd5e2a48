"""The console: begin a dialog, send, look into a queue, receive, end."""

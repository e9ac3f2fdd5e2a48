"""What a console does: one client a socket, one session a client."""

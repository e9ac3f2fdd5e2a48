"""The T-SQL console: sessions of people on instances, each over a websocket that it lives as long as."""

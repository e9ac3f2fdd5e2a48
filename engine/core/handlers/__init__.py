"""One function per command or input, over the state that `broker.Broker` holds."""

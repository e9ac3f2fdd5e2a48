"""What is defined: databases, queues, services, contracts, message types, routes, endpoints, and changes to them."""

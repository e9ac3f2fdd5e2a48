"""A deterministic world: real instances, drivers and connections on virtual time, with faults drawn from one seed."""

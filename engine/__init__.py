"""The Service Broker engine: core, runtime, and the rooms where sockets, disks and workers live."""

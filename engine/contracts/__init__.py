"""The engine's values as they travel: JSON for tasks and browsers, MessagePack for wires and disks."""

"""Backups of the whole product: the dashboard's database, stores with their logs, keys, lake, results, as of one moment.

`taking` writes a folder, `restoring` puts it back, `manifest` says what is in it and whether it is whole.
"""

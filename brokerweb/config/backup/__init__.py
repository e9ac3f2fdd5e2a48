"""Backup and restore of the whole product: dashboard's database, stores with logs, keys, lake and results.

`snapshot` writes a folder, `restore` puts it back, `exchange` replaces the data step by step, `manifest` lists
the files.
"""

"""T-SQL in, catalog changes out: reading scripts, planning an import, the sample estates.

Read `parse` for what a script says and `compile` for what it would change. Nothing here touches a running engine.
"""

"""The T-SQL console: a session on one database of an instance, as a trainee or an administrator types into it.

`session` is the door; `target` says what it needs of the instance, `outputs` what it answers. A script is cut into
batches (`cutting`), read into a program (`reading`), and run (`running`). Expressions and SELECTs are rewritten for
tables in memory (`querying`), which are filled from system views and queues when they are asked for.
"""

"""Bulk questions over millions of conversations, on Spark: the lake of events, and jobs from Parquet to Parquet.

Imports neither Django nor the hosting of instances; nothing else of the engine imports PySpark. Needs the extra `spark`.
"""

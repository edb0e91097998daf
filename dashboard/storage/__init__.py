"""Stored files: folders, Parquet tables, a cache of series, upload handling."""

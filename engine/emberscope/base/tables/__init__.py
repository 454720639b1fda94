"""Tables in files, as CSV or as Parquet."""

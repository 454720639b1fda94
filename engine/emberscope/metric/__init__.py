"""Metric learners: maps in which pairs that are alike lie close; and distances of chips that forgive changes.

They import numba, scipy and scikit-learn, so nothing is imported here.
"""

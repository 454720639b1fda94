"""Metric learners: maps in which pairs that are alike lie close;
and distances that forgive changes of chips.

They import numba, scipy and scikit-learn, so nothing is imported here.
"""

"""Studies: one recipe over a grid of axes, computed cell by cell.

A cell is a function of its plan, of what the labels and frames hold, and of the code. Its result is
one file named by a hash of these, so that a study that was stopped goes on, and several processes
share a folder without anything between them.
"""

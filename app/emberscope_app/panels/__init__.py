"""Docks beside the pictures: sources, labels, bags, run, inspector and so on."""

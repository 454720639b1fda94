"""Rules about labels, classes and what is said of chips that more than one view keeps."""

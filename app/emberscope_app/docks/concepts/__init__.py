"""The Concepts dock: the kinds of targets that the run on show found."""

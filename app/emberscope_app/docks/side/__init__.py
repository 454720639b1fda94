"""The Side information dock: what is known of pairs of chips."""

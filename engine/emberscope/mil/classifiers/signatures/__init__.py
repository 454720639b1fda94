"""Methods that learn what a target looks like: a signature, or a dictionary of them."""

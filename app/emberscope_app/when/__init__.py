"""When something runs: later, in a turn of its own, in a thread, again and again, at most so
often."""

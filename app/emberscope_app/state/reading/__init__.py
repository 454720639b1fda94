"""Reading and work beside the thread that draws: threads, turns, shares, open readers."""

"""Jobs and runs: the recipe being chosen, starting a run, taking its result."""

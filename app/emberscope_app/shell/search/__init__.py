"""The palette: what it finds, and how well words match."""

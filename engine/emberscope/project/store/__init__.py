"""How a project is kept: its file, its journal, its lock, and what comes back after a crash."""

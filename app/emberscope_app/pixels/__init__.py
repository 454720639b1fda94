"""One service for everything that reads frames: its threads, priorities and memory, and what is
made of frames."""

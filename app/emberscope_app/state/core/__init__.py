"""The session and its parts that every view shares: focus, selection, undo, messages,
preferences."""

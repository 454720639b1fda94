"""The desktop application: Qt at the edge, no numerics of its own."""

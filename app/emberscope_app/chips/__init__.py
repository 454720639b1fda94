"""The chip gallery and the chips every view shows."""

"""The Timeline dock: transport, tracks, actions."""

"""What is open, shown, selected and running, without a widget: the session and its parts."""

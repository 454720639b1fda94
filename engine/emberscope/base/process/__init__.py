"""This process and others of the computer: how they start, who runs, what they leave behind."""

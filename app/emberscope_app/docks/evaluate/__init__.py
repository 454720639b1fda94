"""The cards of the Evaluate workspace: what runs find on bags they have not seen."""

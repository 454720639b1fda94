"""The one way in which something is computed: a plan, stages in order, and what runs them."""

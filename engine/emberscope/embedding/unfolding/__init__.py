"""Pull everything apart, keep the neighbors where they are."""

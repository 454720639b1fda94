"""What lies over or under the points of a map."""

"""How faithful an embedding is and how well it separates: `faithfulness`, `knn`, `scores`. Nothing is imported here."""

"""How faithful an embedding is (`faithfulness`, `purity`, `stability`) and how well it separates
(`knn`, `scores`).

Nothing is imported here.
"""

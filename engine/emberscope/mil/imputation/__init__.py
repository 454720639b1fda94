"""Instance labels imputed from bags, and the embeddings that are learned with them."""

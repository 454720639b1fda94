"""Classifiers that know nothing of bags, given the labels of bags: they judge a latent space."""

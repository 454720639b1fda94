"""Networks tuned on bag labels: chips of a project and its bags to a network in a file, whose inner
layer is then read as features of kind "cnn". The only room that knows torch, an extra."""

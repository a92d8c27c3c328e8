"""Draws: the words that a key chooses, and the test whether a model knows them."""

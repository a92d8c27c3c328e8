"""Commands of the repository itself: locks and generated files. Not part of the package."""

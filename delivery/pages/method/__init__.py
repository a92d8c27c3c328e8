"""The pages that say how the figures were made, and how sure a reader can be of them."""

"""Charts as numbers: pure functions from the figures of a release to positions, steps and labels.

Templates draw them as HTML and SVG. Nothing here computes a figure; a chart shows what the release says.
"""

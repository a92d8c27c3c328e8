"""A check compared with labels: what annotators agree on, and how a judge compares with it."""

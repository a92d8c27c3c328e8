"""Comparing the verdicts of a scan with labels, and the edit of a check that is proposed."""

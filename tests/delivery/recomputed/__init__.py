"""Every figure of the site, computed again from leaderboard.json by other code."""

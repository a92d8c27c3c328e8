"""Speed and memory (`make bench`), long measurements (`make study`). RESULTS.md has the figures."""

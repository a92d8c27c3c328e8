"""Speed and memory benchmarks, run by `make bench`. RESULTS.md has the figures and names the machine."""

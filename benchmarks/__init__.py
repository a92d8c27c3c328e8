"""How fast it is, measured: `make bench`. Figures with the machine they were taken on in RESULTS.md."""

"""`python -m ib`."""

from ib.cli import main

main()

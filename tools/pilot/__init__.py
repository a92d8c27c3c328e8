"""Pilots of prompts: draw replies, write what two independent readers get, and read their answers.

    python -m tools.pilot draw --batch 1 --demo DEMO --out DIR
    python -m tools.pilot read DIR --batch 1 --reader one --by "name of a language model"

`docs/pilot-a-prompt.md` explains both.
"""

"""Measure texts that are nothing but the beginnings of layout. Prints the growth of processor time."""

from __future__ import annotations

from time import process_time

from ib.text.shown import bare

TEXTS = ("<!--", "<a ", "<a b=", "&", "> ", "-  ", "<", "\u3164", "[", "](", "`a ", "``\n`", "<x", "</x>")
SIZES = (250_000, 1_000_000)


def main() -> None:
    """Print a row for each text. A text that is read once takes four times as long at four times the size."""
    print("| text | 250,000 characters | 1,000,000 characters | growth | target |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for text in TEXTS:
        small, large = (seconds(text * (size // len(text))) for size in SIZES)
        print(f"| {text!r} | {small:.3f} s | {large:.3f} s | {large / small:.1f} | 4 |")


def seconds(text: str) -> float:
    """The processor time of reading a text."""
    began = process_time()
    bare(text)
    return process_time() - began


if __name__ == "__main__":
    main()

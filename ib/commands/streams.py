"""The standard streams and signals of a process, made safe before a command runs."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from ib.errors import Terminated


def open_streams() -> None:
    """Connect each closed standard stream to the null device.

    A caller may close a stream (`ib scan >&-`). Python then sets it to None, and the next file that
    is opened gets the stream's number, so messages would be written into that file.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if _closed(number):
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:  # os.open takes the lowest free number
                os.dup2(opened, number)
                os.close(opened)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def drop_stdout() -> None:
    """Connect stdout to the null device, so that Python's last flush does not fail too."""
    _drop(1)


def flush_streams() -> None:
    """Write what the streams still hold; a stream that cannot be written is connected to the null device.

    Python would write it at the end of the process, and exit with 120 where that fails.
    """
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            _drop(number)


def _drop(number: int) -> None:
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, number)
    os.close(silent)


def stop_on_sigterm() -> None:
    """Handle SIGTERM like Ctrl-C: context managers exit, and temporary files are removed."""
    signal.signal(signal.SIGTERM, _terminate)


def _terminate(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second SIGTERM must not interrupt the cleanup
    raise Terminated

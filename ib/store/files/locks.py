"""Locks of open files, on every platform that has them. A lock ends with the process that holds it."""

from __future__ import annotations

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment] # the one platform test of this module


def locked(descriptor: int, *, wait: bool = False) -> bool | None:
    """Lock an open file. Returns False if another process holds the lock, and None if there are no locks.

    With `wait`, the lock of another process is waited for. Some platforms and file systems have no locks.
    """
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            return True
        from filelock import lock_descriptor  # its import takes a tenth of a second

        return lock_descriptor(descriptor, blocking=wait)
    except BlockingIOError:
        return False
    except OSError:
        return None

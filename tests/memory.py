"""Where tests keep their files in memory: on a disk, databases wait at each commit."""

import os

__all__ = ["in_memory"]

MEMORY = "/dev/shm"


def in_memory(room: int) -> str | None:
    """Return a folder in memory that has room for so many bytes and may hold programs, or None."""
    if not (os.path.isdir(MEMORY) and os.access(MEMORY, os.W_OK)):
        return None
    found = os.statvfs(MEMORY)
    fits = found.f_bavail * found.f_frsize > room and not found.f_flag & os.ST_NOEXEC
    return MEMORY if fits else None

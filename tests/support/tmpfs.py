"""The kernel's own tmpfs, mounted where only the test sees it; and the reader of /etc/fstab."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

from tests.support.components import component, root, run


def mount(options: str) -> CompletedProcess[str]:
    """Mount a tmpfs with these options over /dev/shm, and print its size in bytes."""
    root("mounting")
    script = 'mount -t tmpfs -o "$1" shm /dev/shm && stat -f -c "%S %b" /dev/shm'
    private = [component("unshare"), "--mount", "--propagation", "private"]
    return run([*private, "sh", "-c", script, "sh", options])


def df_bytes(options: str) -> int:
    """Return the size of a tmpfs that is mounted with these options."""
    done = mount(options)
    assert done.returncode == 0, done.stderr
    size, blocks = done.stdout.split()
    return int(size) * int(blocks)


def findmnt_verify(fstab: Path) -> CompletedProcess[str]:
    """Let util-linux judge a file like /etc/fstab; a doubt is only said: read its text too."""
    return run([component("findmnt"), "--verify", "--tab-file", fstab])

"""Files that are written whole or not at all: a draft beside the target takes its name in one step.

A file that was there keeps its permissions, and its group where that may be given; a new one has those of the process. A link
stays a link, and what it leads to is replaced. What is no plain file (a folder, a device, a pipe, a socket) is refused:
replacing it would take its name from whoever uses it.
"""

import errno
import os
import secrets
import stat
from pathlib import Path

from novum.exceptions import SourceError

__all__ = ["check_plain", "replace_file", "take_place"]

PERMISSIONS, OF_THE_GROUP = 0o777, 0o070
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


def check_plain(path: str | os.PathLike) -> os.stat_result | None:
    """Return what is known of the plain file that a name leads to, None where there is none yet; refuse anything else."""
    try:
        known = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(known.st_mode):
        kind = KINDS.get(stat.S_IFMT(known.st_mode), "no plain file")
        raise SourceError(f"{path}: is {kind}, which is not replaced; name a plain file.")
    return known


def replace_file(path: str | os.PathLike, data: bytes | memoryview) -> None:
    """Write a file in one step: a reader sees the old one or the new one, also after a crash."""
    check_plain(path)
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():  # not by the draft's name
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {target.parent}", str(path))
    draft = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        with open(draft, "xb", opener=private if target.exists() else None) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        take_place(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if hasattr(os, "O_DIRECTORY"):  # the new name must survive a crash too
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def private(name: str, flags: int) -> int:
    """Open a draft that nobody else reads until it has the permissions of what it replaces."""
    return os.open(name, flags, 0o600)


def take_place(draft: Path, target: Path) -> None:
    """Give a draft the permissions of the plain file that it replaces, if there is one, and its name."""
    before = check_plain(target)
    if before is not None and hasattr(os, "chmod"):
        mode = stat.S_IMODE(before.st_mode) & PERMISSIONS
        if hasattr(os, "chown") and before.st_gid != draft.stat().st_gid:
            try:
                os.chown(draft, -1, before.st_gid)
            except PermissionError:  # our group is another one, and gets nothing
                mode &= ~OF_THE_GROUP
        os.chmod(draft, mode)
    os.replace(draft, target)

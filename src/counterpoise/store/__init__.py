"""Files: the `.cpz` container that strategies, runs and checkpoints are kept in, and atomic writing of any file."""

from counterpoise.store.cpz import read_cpz, write_cpz
from counterpoise.store.files import atomic_write, check_folder, check_writable

__all__ = ["atomic_write", "check_folder", "check_writable", "read_cpz", "write_cpz"]

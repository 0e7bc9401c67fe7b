"""Files: the `.cpz` container that strategies, runs and checkpoints are kept in, and atomic writing of any file."""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.store.cpz import read_cpz, write_cpz
    from counterpoise.store.files import atomic_write, check_folder, check_writable
    from counterpoise.store.text import pack_texts, unpack_texts

__all__ = ["atomic_write", "check_folder", "check_writable", "pack_texts", "read_cpz", "unpack_texts", "write_cpz"]

import_lazily(__name__)

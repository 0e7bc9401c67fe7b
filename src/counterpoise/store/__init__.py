"""Files: the `.cpz` container that strategies, runs and checkpoints are kept in."""

from counterpoise.store.cpz import check_writable, read_cpz, write_cpz

__all__ = ["check_writable", "read_cpz", "write_cpz"]

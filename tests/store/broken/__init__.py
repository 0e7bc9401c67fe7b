"""Files of every kind, broken in every way that their schemas name, loaded and used in child processes."""

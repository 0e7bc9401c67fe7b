"""Parts of the page of the library: its files, its jobs, and asking before something is deleted."""

"""Search in a solved spot: a request is checked (`request`), solved (`run`), and shown or saved (`result`, `files`)."""

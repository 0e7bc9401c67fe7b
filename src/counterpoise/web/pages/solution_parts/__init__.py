"""Parts of the page of a solution: its state, what is read for it, and one file per tab."""

"""Parts of the page of play: choosing opponents, the table, what the opponents thought."""

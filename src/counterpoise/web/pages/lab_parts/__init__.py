"""Parts of the lab: choosing a race, its curves, the strategies of its runs."""

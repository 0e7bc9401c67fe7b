"""ReBeL (Brown 2020, section 5.3; Brown et al. 2020): self-play and search on public belief states.

`games` says what a game of belief states is, `solver` solves many subgames in lock-step, `selfplay` and `learner` train
a value network on them, `evaluation` says exactly how exploitable the agent is that `agent` lets play.
"""

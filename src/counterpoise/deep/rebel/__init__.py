"""ReBeL (Brown 2020, section 5.3; Brown et al. 2020): self-play and search on public belief states.

`games` defines games of belief states, `search` solves many subgames in lock-step, `selfplay` and `learner` train a
value network on them, `agent` plays, and `evaluation` computes the exact exploitability of the agent.
"""

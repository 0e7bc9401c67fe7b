"""Monte Carlo CFR and public chance sampling."""

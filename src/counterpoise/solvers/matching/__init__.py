"""CFR and its variants: regret matching, Hedge, CFR-BR."""

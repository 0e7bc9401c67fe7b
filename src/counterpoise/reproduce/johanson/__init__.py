"""Experiments of JOHANSON: chance sampling, CFR-BR, card abstractions, models of opponents, and CFR+."""

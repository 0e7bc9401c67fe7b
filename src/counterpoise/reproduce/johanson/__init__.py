"""Experiments of Johanson 2016: chance sampling, CFR-BR, card abstractions, models of opponents, and CFR+."""

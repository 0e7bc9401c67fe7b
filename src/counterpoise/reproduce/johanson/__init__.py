"""Experiments of JOHANSON: chance sampling, CFR-BR, and the current strategy of CFR+."""

"""Experiments of JOHANSON: chance sampling, CFR-BR, and the current strategy of CFR+."""

from counterpoise.reproduce.johanson import cfr_br, chance_sampling, leduc_cfr_plus

__all__ = ["cfr_br", "chance_sampling", "leduc_cfr_plus"]

"""Networks that stand in for tables: Deep CFR, NFSP, ReBeL.

Training needs JAX (the extra ``[deep]``), which only `fitting.py` and the traced half of shapes import. Networks that
were trained are evaluated by NumPy and compiled layers: they play without it.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.deep.files import Trained, load_networks
    from counterpoise.deep.fitting import Examples, FitSettings, Fitter
    from counterpoise.deep.learner import METHODS, Learner, NetworkMethod, method
    from counterpoise.deep.networks import MlpShape, Network, new_network
    from counterpoise.deep.run import NetworkTraining, train_networks

__all__ = [
    "METHODS",
    "Examples",
    "FitSettings",
    "Fitter",
    "Learner",
    "MlpShape",
    "Network",
    "NetworkMethod",
    "NetworkTraining",
    "Trained",
    "load_networks",
    "method",
    "new_network",
    "train_networks",
]

import_lazily(__name__)

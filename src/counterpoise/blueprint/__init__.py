"""Blueprints: strategies of whole games of hold'em in buckets, their files and how they are made.

A `Blueprint` says what a seat does with every hand after any public history of its game. `load_blueprint` reads one.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.blueprint.average import average_players as average_players
    from counterpoise.blueprint.bits import PackedBlueprint as PackedBlueprint, PackedChoices as PackedChoices
    from counterpoise.blueprint.blueprint import Blueprint as Blueprint, BlueprintPlayer as BlueprintPlayer
    from counterpoise.blueprint.exact import exact_exploitability as exact_exploitability
    from counterpoise.blueprint.files import (
        load_blueprint as load_blueprint,
        save_blueprint as save_blueprint,
        shared_blueprint as shared_blueprint,
    )
    from counterpoise.blueprint.settings import TrainSettings as TrainSettings
    from counterpoise.blueprint.shipped import (
        shipped_blueprint as shipped_blueprint,
        shipped_header as shipped_header,
    )
    from counterpoise.blueprint.train import train as train
    from counterpoise.blueprint.training import Training as Training

import_lazily(__name__)

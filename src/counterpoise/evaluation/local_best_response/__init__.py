"""Local best response: a lower bound on the exploitability of an agent of hold'em, by playing against it.

`player` chooses actions, `actions` lists those it may choose from, and `match` plays the hands and counts results.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.evaluation.local_best_response.match import (
        LocalResponse as LocalResponse,
        local_best_response as local_best_response,
    )
    from counterpoise.evaluation.local_best_response.player import LocalBestResponse as LocalBestResponse

import_lazily(__name__)

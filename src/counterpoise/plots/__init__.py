"""Figures in files: convergence curves and panels of curves, as PNG, SVG or PDF.

All that is drawn is data: anything with iteration, exploitability, nodes_touched and seconds. Matplotlib is imported
when a figure is drawn, not before.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.plots.convergence import Axis, Point, convergence, curve
    from counterpoise.plots.figure import SUFFIXES, check_figure
    from counterpoise.plots.panels import Curve, Panel, panels

__all__ = ["SUFFIXES", "Axis", "Curve", "Panel", "Point", "check_figure", "convergence", "curve", "panels"]

import_lazily(__name__)

"""A slider for a share from 0 to 100 %."""

from __future__ import annotations

from nicegui.element import Element


class ShareSlider(Element, component="share_slider.js"):
    """A labelled slider; `share` is where it stands, from 0 to 1."""

    def __init__(self, label: str, share: float) -> None:
        super().__init__()
        self.share = share
        self._props.update({"label": label, "value": round(100 * share, 1)})
        self.on("slide", lambda event: self._take(float(event.args)))

    def _take(self, percent: float) -> None:
        self.share = min(max(percent / 100, 0.0), 1.0)

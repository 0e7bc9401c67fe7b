"""Make the pictures of pages in docs/images from the screenshots that the browser tests leave in out/screens."""

from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parent.parent
CHOSEN = {
    "spot": "spot-desktop-light",
    "hands": "hands-desktop-light",
    "cards": "cards-desktop-dark",
    "compare": "locked-desktop-light",
    "phone": "hands-phone-dark",
}
WIDEST, COLOURS = 900, 160


def main() -> None:
    """Write each picture, narrower and with few colours, so that the repository stays small."""
    folder = ROOT / "docs" / "images"
    folder.mkdir(exist_ok=True)
    for name, screen in CHOSEN.items():
        picture = Image.open(ROOT / "out" / "screens" / f"{screen}.png").convert("RGB")
        if picture.width > WIDEST:
            picture = picture.resize((WIDEST, round(picture.height * WIDEST / picture.width)), Image.Resampling.LANCZOS)
        picture.quantize(COLOURS, dither=Image.Dither.NONE).save(folder / f"serve_{name}.png", optimize=True)


if __name__ == "__main__":
    main()

"""``python -m counterpoise`` is the command `counterpoise`."""

from counterpoise.cli import main

if __name__ == "__main__":
    main()

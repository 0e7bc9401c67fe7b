"""The exceptions that mean "your input is wrong": one sentence, shown as it is."""


class InputError(ValueError):
    """Wrong input from a user: the message names the field, the value and what is allowed.

    The command line prints the message and exits with code 2.
    """


class UnknownKey(InputError, KeyError):
    """A key that a mapping does not have, so that ``mapping.get(key)`` and ``except KeyError`` work as usual."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would quote it

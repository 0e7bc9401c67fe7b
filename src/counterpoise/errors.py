"""The exceptions of the library: wrong input, told in one sentence that is shown as it is, and jobs that end early."""


class InputError(ValueError):
    """Wrong input from a user: the message names the field, the value and what is allowed.

    The command line prints the message and exits with code 2.
    """


class UnknownKey(InputError, KeyError):
    """A key that a mapping does not have, so that ``mapping.get(key)`` and ``except KeyError`` work as usual."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would quote it


class Cancelled(Exception):
    """A job was asked to stop before it had anything to return."""


class Diverged(Exception):
    """Training has gone astray: a loss or a weight is not a number any more. What was found before it is whole."""


class InputWarning(UserWarning):
    """Input that is allowed but hardly meant: one sentence, which the command line prints on standard error."""

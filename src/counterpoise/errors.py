"""The one exception that means "your input is wrong": one sentence, shown as it is."""


class InputError(ValueError):
    """Wrong input from a user: the message names the field, the value and what is allowed.

    The command line prints the message and exits with code 2.
    """

"""Where a cluster is: what users type after `--cluster`."""

from __future__ import annotations

import ipaddress
import os
import re
from typing import NamedTuple

from counterpoise.errors import InputError
from counterpoise.parameters import shown

MOST_LOCAL = 4
"""Local workers for each core at most."""
FORM = "local:N with a number of workers, or HOST:PORT of a running cluster"


class ClusterAddress(NamedTuple):
    """A cluster to start or to join."""

    workers: int | None
    """Workers to start on this machine; None: join a cluster that runs."""
    address: str = ""
    """HOST:PORT of the head of a cluster that runs."""


def parse_address(text: str) -> ClusterAddress:
    """Return the cluster that a text names.

    >>> parse_address("local:2")
    ClusterAddress(workers=2, address='')
    >>> parse_address("10.0.0.7:6379").address
    '10.0.0.7:6379'
    >>> parse_address("local:none")
    Traceback (most recent call last):
        ...
    counterpoise.errors.InputError: cluster must be local:N with a number of workers, or HOST:PORT of a running \
cluster, not 'local:none'
    """
    refused = InputError(f"cluster must be {FORM}, not {shown(text)}")
    if not isinstance(text, str) or len(text) > 300:
        raise refused
    host, _, number = text.rpartition(":")
    if not re.fullmatch(r"[0-9]{1,5}", number):
        raise refused
    if host == "local":
        most = MOST_LOCAL * (os.cpu_count() or 1)
        if not 1 <= int(number) <= most:
            raise InputError(f"cluster: local workers must be from 1 to {most}, not {int(number)}")
        return ClusterAddress(int(number))
    if not 1 <= int(number) <= 65535 or not _is_host(host):
        raise refused
    return ClusterAddress(None, text)


def _is_host(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?", host) is not None
    return True

"""Studies on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from explorer.project import install_extra
from explorer.studies.errors import StudyError

__all__ = ["dask_cluster"]


def dask_cluster(address: str, timeout: float = 30) -> Callable[[], Executor]:
    """Makes the executor of a cluster, whose workers have this library.

    Parameters
    ----------
    address : str
        The scheduler's, such as ``tcp://host:8786``.
    timeout : float
        How many seconds it may take to answer.

    Raises
    ------
    StudyError
        If nobody answers there, or the extra is not installed.
    """
    try:
        import distributed
    except ImportError:
        raise StudyError(
            f"A cluster needs Dask: {install_extra('cluster')}, here and on all its machines."
        ) from None
    try:
        client: Any = distributed.Client(address, timeout=timeout)
    except (OSError, TimeoutError, ValueError) as error:
        raise StudyError(
            f"No Dask scheduler answers at {address} ({type(error).__name__}). Start one with "
            "`dask scheduler`, or leave --dask out."
        ) from None
    return client.get_executor

"""jsdiv on a Dask cluster: one pair of tables that is too large for one machine, or many jobs.

>>> import jsdiv.dask                                            # doctest: +SKIP
>>> result = jsdiv.dask.estimate("p/*.parquet", "q/*.parquet")   # doctest: +SKIP

Needs ``pip install jsdiv[dask]`` where the driver runs and on every worker. docs/scale.md describes what
runs on the workers, what does not, and what it costs.
"""

try:
    import dask.dataframe  # noqa: F401
    import distributed  # noqa: F401
    import xgboost  # noqa: F401
except ImportError as error:
    raise ImportError(f"jsdiv.dask needs Dask and XGBoost ({error}): pip install jsdiv[dask]") from error

from ._estimate import estimate
from ._jobs import bench, estimate_many

__all__ = ["bench", "estimate", "estimate_many"]

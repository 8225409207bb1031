"""Type aliases for NumPy arrays.

Results say precisely which they are.  What is checked at the door is annotated as what
people may give: ``object``, or numpy's ``ArrayLike``.
"""

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
NumberArray = npt.NDArray[np.int64 | np.float64]

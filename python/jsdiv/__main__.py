"""The command line: ``jsdiv`` and ``python -m jsdiv``."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from . import _core


def main() -> NoReturn:
    sys.exit(_core.run_command([os.fsencode(argument) for argument in sys.argv[1:]]))


if __name__ == "__main__":
    main()

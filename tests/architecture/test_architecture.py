"""The includes follow the order of the folders, and the check finds what does not."""

import os
import pathlib
import tempfile
import unittest

from folders import problems

ROOT = pathlib.Path(os.environ["JSDIV_ROOT"])

PAGE = """
| `src/core/` | | |
| `src/load/` | | |
| `src/report/` | | |

`load/` uses `report/` for one thing.
"""


class Architecture(unittest.TestCase):
    def test_this_tree(self):
        self.assertEqual(problems(ROOT), [])

    def tree(self, page=PAGE, stages="core load report", **files):
        """The problems of a small tree; files: core_a_cpp="text" is src/core/a.cpp."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "ARCHITECTURE.md").write_text(page)
            (root / "tests").mkdir()
            for name in ("CMakeLists.txt", "tests/CMakeLists.txt"):
                (root / name).write_text(f"foreach(stage {stages})\nendforeach()\n")
            for stage in ("core", "load", "report"):
                (root / "src" / stage).mkdir(parents=True)
            for name, text in files.items():
                stage, stem, ending = name.split("_")
                (root / "src" / stage / f"{stem}.{ending}").write_text(text)
            return problems(root)

    def test_planted_faults_are_found(self):
        good = {"load_a_cpp": '#include "core/x.hpp"\n#include "report/y.hpp"\n'}
        self.assertEqual(self.tree(**good), [])
        self.assertIn("includes load/", self.tree(core_b_cpp='#include "load/a.hpp"\n', **good)[0])
        self.assertIn("a is the name of files", self.tree(core_a_hpp="", **good)[0])
        self.assertIn("which nothing needs", self.tree(load_a_cpp="")[0])
        self.assertIn("lists the stages", self.tree(stages="load core report", **good)[0])


if __name__ == "__main__":
    unittest.main()

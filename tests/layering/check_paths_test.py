"""The check of paths finds names of files that are gone, and lets others be; shown on small trees."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).parent / "check_paths"
THERE = {"core/io/open.h": "", "core/ops/rules/sparse_view.cpp": "", "scripts/status": "", "web/src/page.ts": ""}


def findings(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**THERE, **files}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True)
        lines = result.stdout.splitlines()
        return [line.rsplit(" ", 1)[1] for line in lines] if result.returncode else []


class PathsTest(unittest.TestCase):
    def test_a_readme(self):
        for span, missing in [
            ("open.h", False),
            ("io/open.h", False),
            ("core/io/", False),
            ("scripts/status --check", False),
            ("rules/<family>.cpp", False),
            ("rules/sparse_*.cpp", False),
            ("rules/dense_*.cpp", True),
            ("zip.h", True),
            ("core/open.h", True),
            ("core/zip/", True),
            ("scripts/stat", True),
            ("torch/_refs/__init__.py", False),
            ("build/bin/tool.h", False),
            ("Tensor* name(Call& c, ...)", False),
            ("program.dispose()", False),
            ("bool/int", False),
        ]:
            with self.subTest(span):
                self.assertEqual(bool(findings({"README.md": f"The first\nis `{span}`.\n"})), missing)

    def test_an_example_is_not_read(self):
        self.assertEqual(findings({"README.md": '```cpp\n#include "zip.h"  // `zip.h`\n```\n'}), [])

    def test_comments(self):
        for path, text, missing in [
            ("core/a.cpp", "// see open.h", []),
            ("core/a.cpp", "int x;  // see zip.h", ["zip.h"]),
            ("core/a.cpp", "// aten/src/ATen/native/Resize.cpp, Convolution.cpp", []),
            ("core/a.cpp", "a = 2 * stride.h;", []),
            ("web/a.ts", "/** As page.ts. */", []),
            ("web/a.ts", " * As pages.ts does.", ["pages.ts"]),
            ("web/a.ts", "// width by rect.h", []),
        ]:
            with self.subTest(text):
                self.assertEqual(findings({path: text + "\n"}), missing)

    def test_notes(self):
        there = {"core/a.h": "// Note [Why]\n// Because.\n"}
        for text, missing in [
            ("// See Note [Why].", []),
            ("int x;  // see Note [Why not]", ["not]"]),
            ("// Note [Theirs], torch/csrc/a.cpp", []),
        ]:
            with self.subTest(text):
                self.assertEqual(findings({**there, "core/b.cpp": text + "\n"}), missing)

    def test_the_line_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "README.md").write_text("first\n`zip.h`\n")
            result = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True)
        self.assertEqual(result.stdout, "README.md:2: there is no zip.h\n")


if __name__ == "__main__":
    unittest.main()

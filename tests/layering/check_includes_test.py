"""The check of forgotten includes finds what it is there for, shown on small files."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).parent / "check_includes"


def judge(text):
    """What is found in core/b/b.cpp with this text, beside a precompiled core/a/a.h that declares Table and includes <vector>."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, content in {
            "scripts/cmake/PrecompiledHeaders.cmake": "set(headers <vector> <core/a/a.h>)",
            "core/a/a.h": "#include <vector>\nstruct Table {\n  std::vector<int> rows;\n};\n",
            "core/b/b.cpp": text,
        }.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(content)
        result = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True)
        assert result.returncode == (0 if result.stdout.startswith("includes: no file") else 1), result.stderr
        return [line.removeprefix("core/b/b.cpp:") for line in result.stdout.splitlines() if line.startswith("core/")]


class IncludesTest(unittest.TestCase):
    def test_a_type_of_ours_without_its_header_is_found_once(self):
        self.assertEqual(judge("\nvoid f(const Table& t);\nvoid g(Table t);\n"),
                         ["2: Table comes from core/a/a.h, which is not included"])

    def test_a_name_of_the_standard_library_without_its_header_is_found(self):
        self.assertEqual(judge("std::optional<int> f();\n"), ["1: optional comes from optional, which is not included"])

    def test_an_include_of_an_include_is_enough(self):
        self.assertEqual(judge('#include "core/a/a.h"\nstd::vector<int> f(const Table&);\n'), [])

    def test_comments_strings_members_and_own_types_are_no_uses(self):
        self.assertEqual(judge('// a Table\nconst char* s = "Table";\nint x = y.Table;\n'), [])
        self.assertEqual(judge("struct Table;\nvoid f(Table&);\n"), [])


if __name__ == "__main__":
    unittest.main()

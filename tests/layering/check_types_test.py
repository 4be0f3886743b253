"""The check of types that are defined twice finds what it is there for, shown on small files."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).parent / "check_types"


def judge(first, second):
    """What is found in core/a.h and core/b.h with these texts, each in the namespace faketensor."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "core").mkdir()
        for name, text in {"a": first, "b": second}.items():
            (root / f"core/{name}.h").write_text(f"namespace faketensor {{\n{text}\n}}  // namespace faketensor\n")
        result = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True)
        assert result.returncode == (0 if result.stdout.startswith("types: every") else 1), result.stderr
        return [line for line in result.stdout.splitlines() if line.startswith("core/")]


class TypesTest(unittest.TestCase):
    def test_two_types_of_one_name_are_found(self):
        self.assertEqual(judge("struct Row {\n};", "class Row final : public Base {\n};"), ["core/b.h:2: Row is defined at core/a.h:2 too"])

    def test_an_unnamed_namespace_and_a_declaration_are_no_second_type(self):
        self.assertEqual(judge("struct Row {\n};", "namespace {\nstruct Row {\n};\n}  // namespace\nstruct Row;"), [])

    def test_a_nested_type_is_of_its_class(self):
        self.assertEqual(judge("struct Row {\n};", "struct Table {\n  struct Row {\n  };\n};"), [])


if __name__ == "__main__":
    unittest.main()

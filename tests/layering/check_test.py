"""The layering check finds what it is there for, shown on small trees."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).parent / "check"


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True)
        return result.returncode, result.stdout


DECLARED = "faketensor_layer(low)\nfaketensor_layer(middle low)\nfaketensor_layer(side low)\nfaketensor_layer(high middle)\n"


class LayeringTest(unittest.TestCase):
    def judge(self, path, include):
        return run({"core/CMakeLists.txt": DECLARED, path: f"// first line\n#include {include}\n"})

    def test_an_include_of_a_layer_further_down_passes(self):
        self.assertEqual(self.judge("core/high/a.h", '"core/low/b.h"')[0], 0)

    def test_an_include_upwards_fails_with_its_line(self):
        code, output = self.judge("core/low/deep/a.cpp", '"core/middle/b.h"')
        self.assertEqual(code, 1)
        self.assertIn("core/low/deep/a.cpp:2: low does not stand on middle", output)

    def test_an_include_of_a_layer_beside_fails(self):
        self.assertEqual(self.judge("core/high/a.h", '"core/side/b.h"')[0], 1)

    def test_an_include_of_what_is_outside_core_fails(self):
        self.assertEqual(self.judge("core/low/a.h", '"wasm/session.h"')[0], 1)

    def test_an_include_relative_to_the_file_fails(self):
        self.assertEqual(self.judge("core/low/a.h", '"b.h"')[0], 1)

    def test_a_heavy_standard_header_fails(self):
        self.assertEqual(self.judge("core/low/a.h", "<iostream>")[0], 1)

    def test_a_folder_that_is_no_layer_fails(self):
        self.assertEqual(self.judge("core/unknown/a.h", "<vector>")[0], 1)

    def test_the_program_stands_on_all_layers(self):
        self.assertEqual(self.judge("core/main.cpp", '"core/high/b.h"')[0], 0)
        self.assertEqual(self.judge("core/main.cpp", '"wasm/session.h"')[0], 1)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tests of scripts/cmake/ccache, with a ccache that says what it was given."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "cmake" / "ccache"


class Arguments(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        said = self.folder / "bin" / "ccache"
        said.parent.mkdir()
        said.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
        said.chmod(0o755)

    def given(self, *arguments, root="/home/me/a folder"):
        environment = os.environ | {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        command = [SCRIPT, root, "../..", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=self.folder)
        return run.stdout.splitlines()

    def test_paths_are_relative_wherever_they_stand(self):
        self.assertEqual(self.given("g++", "-I/home/me/a folder", "-c", "/home/me/a folder/core/main.cpp"),
                         ["g++", "-I../..", "-c", "../../core/main.cpp"])
        self.assertEqual(self.given("clang++", "-fsanitize-ignorelist=/home/me/x.txt", "-Xclang", "/home/me/build/p.pch", root="/home/me"),
                         ["clang++", "-fsanitize-ignorelist=../../x.txt", "-Xclang", "../../build/p.pch"])

    def test_what_is_not_in_the_folder_stays(self):
        arguments = ["g++", "-I/home/me/a folder too", "/home/me/a folderful/x.cpp", "-O3", ""]
        self.assertEqual(self.given(*arguments), arguments)

    def test_a_definition_keeps_the_path_by_which_a_program_finds_its_files(self):
        self.assertEqual(self.given("g++", '-DTESTS="/home/me/a folder/tests"'), ["g++", '-DTESTS="/home/me/a folder/tests"'])

    def test_a_name_is_no_pattern(self):
        self.assertEqual(self.given("g++", "/home/[me]*/x.cpp", "/home/m/x.cpp", root="/home/[me]*"), ["g++", "../../x.cpp", "/home/m/x.cpp"])

    def test_a_precompiled_header_is_not_there_while_it_is_compiled_again(self):
        for name in ("all.gch", "all.pch", "all.o"):
            (self.folder / name).write_text("of the last time")
        self.given("g++", "-o", "all.gch", "-c", "all.cxx")
        self.given("clang++", "-include-pch", "all.pch", "-o", "all.o", "-c", "all.cxx")
        self.assertEqual([(self.folder / name).exists() for name in ("all.gch", "all.pch", "all.o")], [False, True, True])


class PrecompiledByClang(unittest.TestCase):
    """With the real ccache and Clang: two folders of the same sources, of which one header is precompiled."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.make_clones(pathlib.Path(folder.name))

    def make_clones(self, root):
        self.root = root
        for name in ("first", "second"):
            build = self.root / name / "build"
            build.mkdir(parents=True)
            (self.root / name / "scripts" / "cmake").mkdir(parents=True)
            self.write(name, "scripts/cmake/sanitizers_ignored.txt", "")
            self.write(name, "build/all.hxx", "#include <point.h>\n")
            self.write(name, "build/all.hxx.cxx", "")
            self.write(name, "point.h", "#pragma once\nstruct Point { int x; };\n")
            self.write(name, "name.h", "#pragma once\n#include <point.h>\nstruct Name { Point at; };\n")
            self.write(name, "main.cpp", "#include <name.h>\nint main() { return Name{}.at.x; }\n")

    def write(self, clone, file, text):
        (self.root / clone / file).write_text(text)

    def build(self, clone):
        """Compiles as CMake does; says how often ccache had main.o."""
        root, build = self.root / clone, self.root / clone / "build"
        for words in (["-Xclang", "-emit-pch", "-Xclang", "-include", "-Xclang", f"{build}/all.hxx", "-x", "c++-header", "-MD", "-MF", "all.d",
                       "-o", "all.hxx.pch", "-c", f"{build}/all.hxx.cxx"],
                      ["-Xclang", "-include-pch", "-Xclang", f"{build}/all.hxx.pch", "-Xclang", "-include", "-Xclang", f"{build}/all.hxx", "-MD",
                       "-MF", "main.d", "-o", "main.o", "-c", f"{root}/main.cpp"]):
            before = self.hits()
            self.run_script([SCRIPT, root, "..", "clang++", f"-I{root}", "-Xclang", "-fno-pch-timestamp", *words], build)
        return self.hits() - before

    def run_script(self, command, folder):
        environment = os.environ | {"CCACHE_DIR": str(self.root / "cache")}
        environment.pop("CCACHE_DISABLE", None)
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout

    def hits(self):
        statistics = dict(line.split() for line in self.run_script(["ccache", "--print-stats"], self.root).splitlines())
        return int(statistics["direct_cache_hit"])

    def test_what_is_compiled_with_it_is_taken_in_another_folder(self):
        self.assertEqual(self.build("first"), 0)
        shutil.rmtree(self.root / "first")
        self.assertEqual(self.build("second"), 1)

    def test_a_file_that_changed_in_another_folder_compiles_with_its_own(self):
        self.build("first")
        self.build("second")
        self.write("second", "main.cpp", "#include <name.h>\nint main() { return Name{}.at.x + 1; }\n")
        self.assertEqual(self.build("second"), 0)

    def test_what_is_compiled_with_another_header_is_another(self):
        self.build("first")
        self.write("second", "point.h", "#pragma once\nstruct Point { long x; };\n")
        self.assertEqual(self.build("second"), 0)
        self.write("second", "point.h", (self.root / "first" / "point.h").read_text())
        self.assertEqual(self.build("second"), 1)

    def test_nothing_names_the_other_folder(self):
        for root in (self.root / "folder", self.root / "a folder"):
            self.make_clones(root)
            self.build("first")
            self.build("second")
            self.assertNotIn("first", (root / "second" / "build" / "main.d").read_text())


if __name__ == "__main__":
    unittest.main()

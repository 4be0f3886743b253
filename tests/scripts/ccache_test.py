#!/usr/bin/env python3
"""Tests of scripts/cmake/ccache, with a ccache that says what it was given."""
import os
import pathlib
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
        self.assertEqual(self.given("clang++", "-fsanitize-ignorelist=/home/me/a folder/x.txt"), ["clang++", "-fsanitize-ignorelist=../../x.txt"])

    def test_a_header_that_clang_precompiled_is_of_its_folder(self):
        arguments = ["clang++", "-Xclang", "-include-pch", "-Xclang", "/home/me/a folder/build/p.pch", "-Xclang", "-include", "-Xclang",
                     "/home/me/a folder/build/p.hxx"]
        self.assertEqual(self.given(*arguments), arguments)

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


if __name__ == "__main__":
    unittest.main()

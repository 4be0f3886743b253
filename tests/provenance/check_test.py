"""The provenance check finds what it is there for, shown on a small file of rules and a small README."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
PATH = pathlib.Path(__file__).parent / "check"
loader = importlib.machinery.SourceFileLoader("check", str(PATH))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
loader.exec_module(check)

RULES = """
// Mirrors foo, torch/_decomp/decompositions.py: as the reference does.
Tensor* foo(Call& c, const Tensor& self) { return nullptr; }
Tensor* bar(Call& c, const Tensor& self) { return nullptr; }
constexpr OpDef kRows[] = {
    {"aten::foo(Tensor self) -> Tensor", rule<&foo>()},
    {"aten::bar(Tensor self) -> Tensor", rule<&bar>()},
};
"""
README = '- `rules/a.cpp`: `{"aten::foo", kRow},`\n- `rules/b.cpp`: `{"aten::foo.out", kOut},`\n'


class ProvenanceTest(unittest.TestCase):
    def test_a_rule_that_mirrors_who_answers_passes(self):
        self.assertEqual(check.problems(RULES, {"aten::foo": "decomp", "aten::bar": "ref"}), (1, []))

    def test_a_rule_that_mirrors_another_function_fails(self):
        _, wrong = check.problems(RULES, {"aten::foo": "ref"})
        self.assertEqual(wrong, ["aten::foo: the rule foo mirrors decomp; PyTorch answers by ref"])

    def test_the_example_passes_where_its_rows_stand_and_no_other_file_names_it(self):
        files = {"rules/a.cpp": '{"aten::foo", kRow},', "rules/b.cpp": '{"aten::foo.out", kOut},', "facts.cpp": '{"foo.default"}'}
        self.assertEqual(check.problems_of_example(README, files), [])

    def test_a_row_that_is_gone_and_a_fourth_file_fail(self):
        files = {"rules/a.cpp": "", "rules/b.cpp": '{"aten::foo.out", kOut},', "context.cpp": 'op.name == "aten::foo.default"'}
        wrong = check.problems_of_example(README, files)
        self.assertEqual(wrong, ['README.md: rules/a.cpp has no row {"aten::foo", kRow},', "context.cpp: names the operator too"])


if __name__ == "__main__":
    unittest.main()

"""The check of the order of steps finds what it is there for, shown on small rules."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).parent / "check_order"
HELPERS = """\
Value doubled(Call& c, const Tensor& x) { return c.call<"aten::mul.Tensor">(x, 2); }
Value twice(Call& c, const Tensor& x) { return doubled(c, x); }
SymInt half(Call& c, const Tensor& x) { return floor_div(x.size(0), 2); }
Operand wide(const Operand& x) { return x.unsqueeze(0); }
"""


def judge(statements, head="", path="core/ops/rules/a.cpp"):
    """The lines and reasons found in a rule of these statements, of which the first stands in line 1."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        helpers = root / "core/ops/rules/helpers.cpp"
        helpers.parent.mkdir(parents=True)
        helpers.write_text(HELPERS)
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("Value rule(Call& c, const Tensor& x, const Tensor& y) { " + statements + "\n}\n" + head)
        result = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True)
        assert result.returncode == (1 if path in result.stdout else 0), result.stderr
        return [line.removeprefix(path + ":").split(", in an order")[0] for line in result.stdout.splitlines() if line.startswith(path)]


OPERANDS = '#include "core/ops/families/operand.h"\n'


def judge_operands(statements):
    return judge("const OpmathCast cast(c, {x, y}); const Operand a = cast(x), b = cast(y);\n" + statements, OPERANDS)


class ArgumentsTest(unittest.TestCase):
    def assert_found(self, statements, *found):
        self.assertEqual(judge(statements), list(found))

    def test_two_calls_of_operators_in_one_list_fail_with_their_line(self):
        self.assert_found(
            'const Value a = c.call<"aten::exp">(x);\nreturn c.call<"aten::add.Tensor">(c.tensor<"aten::abs">(a), c.call<"aten::neg">(y));',
            "2: 2 arguments take a step",
        )

    def test_one_call_beside_names_passes(self):
        self.assert_found('const Value a = c.call<"aten::exp">(x);\nreturn c.call<"aten::add.Tensor">(a, c.call<"aten::neg">(y));')

    def test_new_tensors_count(self):
        self.assert_found("return pair(c.empty(x.sizes(), d), c.empty_like(y));", "1: 2 arguments take a step")

    def test_a_call_deep_inside_an_argument_counts(self):
        self.assert_found("return f(g(1, h(c.empty(s, d))), x.is_big() ? c.empty(s, d) : nullptr);", "1: 2 arguments take a step")

    def test_functions_that_call_operators_count_also_through_others(self):
        self.assert_found("return f(twice(c, x), doubled(c, y));", "1: 2 arguments take a step")

    def test_functions_that_only_compute_do_not_count(self):
        self.assert_found("return f(half(c, x), half(c, y), doubled(c, x));")

    def test_lambdas_that_call_operators_count_where_they_are_called(self):
        made = 'const auto made = [&](SymInt n) { return c.empty({n}, d); };\n'
        self.assert_found(made + "return f(made(1), made(2));", "2: 2 arguments take a step")
        self.assert_found("return f([&] { return c.empty(s, d); }, [&] { return c.empty(s, d); });")

    def test_lambdas_are_read_too(self):
        self.assert_found("const auto g = [&] {\n return f(c.empty(s, d), c.empty(s, d)); };", "2: 2 arguments take a step")

    def test_braces_and_conditions_have_an_order(self):
        self.assert_found("return c.tuple({c.empty(s, d), c.empty(s, d)});")
        self.assert_found("const Value both[] = {c.empty(s, d), c.empty(s, d)};")
        self.assert_found("if (doubled(c, x).is_none() && doubled(c, y).is_none()) return f(big ? c.empty(s, d) : c.empty(t, d));")

    def test_comments_and_texts_are_not_read(self):
        self.assert_found('// f(c.empty(s, d), c.empty(s, d))\nc.check(false, "f(c.empty(s), c.empty(s))");')

    def test_attributes_and_functions_before_hide_nothing(self):
        after = "[[noreturn, gnu::cold]] void fail(Call& c) { throw 1; }\nValue f(Call& c) {\n return g(c.empty(s, d), c.empty(s, d));\n}\n"
        self.assertEqual(judge("return x;", after), ["5: 2 arguments take a step"])

    def test_only_folders_with_rules_are_read(self):
        self.assertEqual(judge("f(c.empty(s, d), c.empty(s, d));", path="core/io/a.cpp"), [])


class ArithmeticTest(unittest.TestCase):
    def assert_found(self, statements, *found):
        self.assertEqual(judge_operands(statements), list(found))

    def test_steps_on_both_sides_fail(self):
        self.assert_found("return (a * b) + (b * b);", "2: both sides of + take a step")
        self.assert_found("return a * b - b * b;", "2: both sides of - take a step")
        self.assert_found("return a.view(s) * b.unsqueeze(1);", "2: both sides of * take a step")
        self.assert_found('return a * b * a.op<"aten::exp">();', "2: both sides of * take a step")
        self.assert_found("return -a * wide(b);", "2: both sides of * take a step")
        self.assert_found("return cast(x) - cast(y);", "2: both sides of - take a step")

    def test_a_chain_of_names_passes(self):
        self.assert_found("return 2.0 * (a - b) * a / 3;")
        self.assert_found("return a * (1 - b * (1 - b));")
        self.assert_found("return wide(a) + b;")

    def test_conditions_are_steps(self):
        self.assert_found("return where(a <= 0, b, a * b);", "2: 2 arguments take a step")

    def test_facts_about_operands_are_no_steps(self):
        self.assert_found("return f(a.tensor().dim() * b.tensor().dim(), a.tensor().size(0) + b.tensor().size(1));")

    def test_the_object_of_a_call_comes_before_its_arguments(self):
        self.assert_found('return (a > -3.0).op<"aten::__and__.Tensor">(a < 3.0);')

    def test_numbers_without_operands_pass(self):
        self.assertEqual(judge("return x.size(0) * y.size(1) + half(c, x) * half(c, y);"), [])


if __name__ == "__main__":
    unittest.main()

"""Recorded operator calls with symbolic sizes: what is asked of a vector, and how an answer differs from it.

A vector holds the symbols there are ("env"), one call, what it returned or raised, and what it added to the ShapeEnv: guards, deferred
runtime asserts, replacements, ranges, symbols. Results are equal when they agree at assignments of the symbols that respect the ranges and
under which everything added holds; conditions are equal, as sets, when they agree at any assignments that respect the ranges.
"""
import ast
import functools
import random
import zlib

from compare import FUNCTIONS, OPERATORS, Comparison, operator_difference

KIND = "symbolic operator vectors"
ASKED = ("id", "settings", "inputs", "env", "op", "args", "kwargs")
POINTS = 40
MORE_FUNCTIONS = {
    **FUNCTIONS,
    "Eq": lambda a, b: a == b,
    "Ne": lambda a, b: a != b,
    "CleanDiv": lambda a, b: a // b,
    "IntTrueDiv": lambda a, b: a / b,
    "FloatTrueDiv": lambda a, b: a / b,
    "ToFloat": float,
    "Abs": abs,
    "TruncToInt": int,
    "FloorToInt": lambda x: x // 1,
    "Max": lambda *values: max(values),
    "Min": lambda *values: min(values),
}
CONNECTIVES = {ast.BitOr: any, ast.BitAnd: all}


def question(vector):
    return {key: vector[key] for key in ASKED if key in vector}


@functools.lru_cache(maxsize=4096)
def tree(text):
    return ast.parse(text.strip(), mode="eval").body


def value(node, symbols):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return symbols[node.id]
    if isinstance(node, ast.UnaryOp):
        operand = value(node.operand, symbols)
        return -operand if isinstance(node.op, ast.USub) else not operand
    if isinstance(node, ast.BinOp) and type(node.op) in CONNECTIVES:
        return CONNECTIVES[type(node.op)](value(side, symbols) for side in (node.left, node.right))
    if isinstance(node, ast.BinOp):
        return (OPERATORS | {ast.Div: lambda a, b: a / b})[type(node.op)](value(node.left, symbols), value(node.right, symbols))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return OPERATORS[type(node.ops[0])](value(node.left, symbols), value(node.comparators[0], symbols))
    if isinstance(node, ast.Call):
        return MORE_FUNCTIONS[node.func.id](*(value(argument, symbols) for argument in node.args))
    raise KeyError(type(node).__name__)


def evaluated(text, symbols):
    """The value, or None where there is none (a division by zero, a function of another kind)."""
    try:
        return value(tree(str(text)), symbols)
    except (SyntaxError, KeyError, AttributeError, ArithmeticError, TypeError):
        return None


def end(bound, infinite):
    return bound if isinstance(bound, (int, float)) and not isinstance(bound, bool) else infinite


def assignment(env, seed):
    """Numbers for the symbols: the hints, then numbers near them, then any in the ranges."""
    chance, symbols = random.Random(seed), {}
    for symbol in env:
        low, high = end(symbol["range"][0], -20), end(symbol["range"][1], 1000)
        hint = symbol["hint"] if symbol["hint"] is not None else chance.choice([1, 2, 3, 4, 6, 8])
        near = chance.choice([hint, hint, hint * 2, hint * 3, hint + 1, hint - 1, low, chance.randint(int(low), int(min(high, low + 40)))])
        symbols[symbol["name"]] = hint if seed == 0 else min(max(near, low), high)
    return symbols


def holds(added, symbols):
    for name, target in added.get("replacements", {}).items():
        if (number := evaluated(target, symbols)) is not None:
            symbols[name] = number
    conditions = [*added.get("guards", []), *(each for group in added.get("deferred", {}).values() for each in group)]
    return all(evaluated(condition, symbols) is not False for condition in conditions)


class SymbolicComparison(Comparison):
    """Sizes as expressions, at assignments under which what the call added holds."""

    def __init__(self, vector):
        super().__init__()
        self.added = vector.get("added") or {}
        self.env = [*vector["env"], *self.added.get("new_symbols", [])]
        self.first_seed = zlib.crc32(vector["id"].encode())

    def assignments(self, count):
        return (assignment(self.env, self.first_seed + i if i else 0) for i in range(count))

    @functools.cached_property
    def free(self):
        return list(self.assignments(POINTS))

    @functools.cached_property
    def valid(self):
        return [symbols for symbols in self.assignments(10 * POINTS) if holds(self.added, symbols)][:POINTS] or self.free

    def agree(self, expected, got, points):
        """`points` is the name of the assignments to compare at."""
        if str(expected) == str(got):
            return True
        pairs = [(evaluated(expected, symbols), evaluated(got, symbols)) for symbols in getattr(self, points)]
        return all(e == g for e, g in pairs) and any(e is not None for e, _ in pairs)

    def same_scalar(self, expected, got):
        if isinstance(expected, (int, str)) and isinstance(got, (int, str)) and not isinstance(expected, bool) and not isinstance(got, bool):
            return self.agree(expected, got, "valid")
        return super().same_scalar(expected, got)

    def same_conditions(self, expected, got):
        left = list(dict.fromkeys(got))
        for condition in dict.fromkeys(expected):
            match = next((other for other in left if self.agree(condition, other, "free")), None)
            if match is None:
                return False
            left.remove(match)
        return not left


def added_difference(comparison, expected, got):
    if not comparison.same_conditions(expected.get("guards", []), got.get("guards", [])):
        return f"guards {expected.get('guards')} expected, got {got.get('guards')}"
    for key, same in (("deferred", comparison.same_conditions), ("replacements", lambda e, g: comparison.agree(e, g, "free"))):
        e, g = expected.get(key, {}), got.get(key, {})
        if e.keys() != g.keys() or not all(same(e[name], g[name]) for name in e):
            return f"{key} {e} expected, got {g}"
    if not comparison.same_conditions(expected.get("divisible", []), got.get("divisible", [])):
        return f"divisible {expected.get('divisible')} expected, got {got.get('divisible')}"
    for key in ("ranges", "size_like", "new_symbols"):
        e, g = expected.get(key, []), got.get(key, [])
        if (e, g) != (g, e) and not (isinstance(e, list) and isinstance(g, list) and sorted(map(str, e)) == sorted(map(str, g))):
            return f"{key} {e} expected, got {g}"
    return None


def symbolic_difference(vector, answer):
    """None, or how the answer differs."""
    if answer is None or "unsupported" in answer:
        return f"unsupported: {answer and answer['unsupported']}"
    comparison = SymbolicComparison(vector)
    difference = operator_difference(vector, answer, comparison)
    return difference or added_difference(comparison, vector.get("added") or {}, answer.get("added") or {})

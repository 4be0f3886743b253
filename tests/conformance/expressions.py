"""Recorded answers about symbolic expressions: what is asked of a row, and how an answer differs from it.

A row is one ShapeEnv: its symbols, facts that it is told in order (trees of Python's operators, guarded on or checked), and then questions
about other trees. Texts are compared as they are printed.
"""

KIND = "expression vectors"
GIVEN = ("id", "settings", "env", "names", "deferred")
FACT, QUERY = ("result", "raises", "message"), ("value", "str", "simplify", "range", "static", "known_true", "known_false")


def expression_question(row):
    """The row without its answers."""
    asked = {key: row[key] for key in GIVEN if key in row}
    asked["queries"] = [{"tree": query["tree"]} for query in row["queries"]]
    if "facts" in row:
        asked["facts"] = [{"how": fact["how"], "tree": fact["tree"]} for fact in row["facts"]]
    return asked


def typed(value):
    """1, 1.0 and true are three values."""
    return [typed(element) for element in value] if isinstance(value, list) else (type(value), value)


def first_difference(expected, got, keys, at):
    for key in keys:
        if typed(expected.get(key)) != typed(got.get(key)):
            return f"{at}: {key} {expected.get(key)!r} expected, got {got.get(key)!r}"
    return None


def expression_difference(row, answer):
    """None, or how the answer differs."""
    if answer is None or "unsupported" in answer:
        return f"unsupported: {answer and answer['unsupported']}"
    for i, (fact, got) in enumerate(zip(row.get("facts", []), answer["facts"])):
        difference = first_difference(fact, got, FACT, f"fact {i}")
        added = [{key: sorted(value) if key in ("divisible", "size_like") else value for key, value in (each.get("added") or {}).items()} for each in (fact, got)]
        if difference or added[0] != added[1]:
            return difference or f"fact {i}: added {added[0]} expected, got {added[1]}"
    for i, (query, got) in enumerate(zip(row["queries"], answer["queries"])):
        if difference := first_difference(query, got, QUERY, f"query {i}"):
            return difference
    return None

"""What-ifs: a program under options, held against the program that was exported anew with them (GRAPHS.md)."""

import json

from compare import same_expression


def values(answer):
    """The tensors of a value as [size, stride, dtype, device], nested as they are; None for the rest."""
    if isinstance(answer, dict) and "size" in answer:
        return [answer["size"], answer.get("stride"), answer["dtype"], answer["device"]]
    return [values(element) for element in answer] if isinstance(answer, list) else None


def is_tensor(value):
    return isinstance(value, list) and len(value) == 4 and isinstance(value[2], str)


def same_sizes(want, got):
    if want is None or got is None:
        return want is got
    return len(want) == len(got) and all(a == b or same_expression(str(a), str(b)) for a, b in zip(want, got))


def value_difference(want, got):
    """Which aspect of a value differs; None where none does."""
    if want is None:
        return None
    if is_tensor(want):
        if not is_tensor(got):
            return "missing"
        if not same_sizes(want[0], got[0]):
            return f"size {got[0]}, not {want[0]}"
        if want[2] != got[2]:
            return f"dtype {got[2]}, not {want[2]}"
        if want[3].replace("cuda:0", "cuda") != got[3].replace("cuda:0", "cuda"):
            return f"device {got[3]}, not {want[3]}"
        return None if want[1] is None or 0 in want[0] or same_sizes(want[1], got[1]) else f"stride {got[1]}, not {want[1]}"
    if not isinstance(got, list) or len(got) != len(want):
        return "missing"
    return next((found for pair in zip(want, got) if (found := value_difference(*pair))), None)


def setting_difference(recorded, lines, status):
    """What is different of a setting: its exit code and how many nodes, with the first of them; None where nothing is."""
    answers = {line["name"]: values(line["val"]) for line in map(json.loads, lines) if "val" in line}
    wrong = [(name, found) for name, _, want in recorded["nodes"] if (found := value_difference(want, answers.get(name)))]
    if wrong:
        return f"{len(wrong)} of {len(recorded['nodes'])} values, first {wrong[0][0]}: {wrong[0][1]}"
    return f"exit code {status}" if status != 0 else None

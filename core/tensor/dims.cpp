#include "core/tensor/dims.h"

#include "core/support/format.h"

namespace faketensor {

bool guard_equal(Dims a, Dims b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!same_expr(a[i], b[i]) && !guard_bool(a[i] == b[i])) return false;
  }
  return true;
}

bool equal_or_false(Dims a, Dims b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!guard_or_false(a[i] == b[i])) return false;
  }
  return true;
}

SymBool sym_eq(Dims a, Dims b) {
  if (a.size() != b.size()) return false;
  SymBool same = true;
  for (size_t i = 0; i < a.size(); ++i) same = sym_and(same, a[i] == b[i]);
  return same;
}

void append_text(std::string& out, SizeText text) {
  out += "torch.Size(";
  append_text(out, text.dims);
  out += ')';
}

void append_text(std::string& out, TupleText text) {
  out += '(';
  for (size_t i = 0; i < text.dims.size(); ++i) {
    if (i > 0) out += ", ";
    append_text(out, text.dims[i]);
  }
  out += text.dims.size() == 1 ? ",)" : ")";
}

}  // namespace faketensor

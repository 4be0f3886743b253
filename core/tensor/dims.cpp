#include "core/tensor/dims.h"

#include "core/support/format.h"

namespace faketensor {

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

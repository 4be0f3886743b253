// The inverse of each view: what its base is when the view was written to.
#include "core/passes/decompose/decomposition_table.h"
#include "core/passes/decompose/functional_tensors.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/dims.h"

namespace faketensor {

namespace {

class Undo {
 public:
  Undo(Context& context, const ViewStep& step, const Value& base, const Value& view,
       const CallByName& call)
      : context_(context), step_(step), base_(base), view_(view), call_(call) {}

  Value run() const {
    const std::string_view name = overload_name(*step_.op);
    for (const Row& row : kRows)
      if (row.view == name) return (this->*row.undo)();
    throw_error(ErrorKind::kRuntimeError,
                format("Attempted to call {}() during the functionalization pass. For now, this is "
                       "not supported.",
                       step_.op->packet()));
  }

 private:
  const Value& arg(size_t index) const { return step_.args[index]; }
  const Tensor& base() const { return base_.tensor(); }
  const Tensor& view() const { return view_.tensor(); }
  Value base_sizes() const { return context_.make_ints(base().sizes()); }
  int64_t wrapped(const Value& dim) const {
    const int64_t index = dim.to_int();
    return index < 0 ? index + base().dim() : index;
  }

  Value same() const { return view_; }
  Value alias() const { return call_("aten::alias", {view_}); }
  Value as_complex() const { return call_("aten::view_as_complex", {view_}); }
  Value as_real() const { return call_("aten::view_as_real", {view_}); }
  Value conj() const { return call_("aten::_conj", {view_}); }
  Value negative() const { return call_("aten::_neg_view", {view_}); }
  Value as_strided() const {
    return call_("aten::as_strided_scatter", {base_, view_, arg(1), arg(2), arg(3)});
  }
  Value diagonal() const {
    return call_("aten::diagonal_scatter", {base_, view_, arg(1), arg(2), arg(3)});
  }
  Value select() const { return call_("aten::select_scatter", {base_, view_, arg(1), arg(2)}); }
  Value slice() const {
    return call_("aten::slice_scatter", {base_, view_, arg(1), arg(2), arg(3), arg(4)});
  }
  Value t() const { return call_("aten::t", {view_}); }
  Value transpose() const { return call_("aten::transpose.int", {view_, arg(1), arg(2)}); }
  Value unsqueeze() const { return call_("aten::squeeze.dim", {view_, arg(1)}); }
  Value view_sizes() const { return call_("aten::view", {view_, base_sizes()}); }
  Value unsafe_view() const { return call_("aten::_unsafe_view", {view_, base_sizes()}); }
  Value view_dtype() const { return call_("aten::view.dtype", {view_, base().dtype()}); }
  Value reshape_alias() const {
    return call_("aten::_reshape_alias",
                 {view_, base_sizes(), context_.make_ints(base().strides())});
  }
  Value unfold() const {
    return call_("aten::unfold_backward", {view_, base_sizes(), arg(1), arg(2), arg(3)});
  }

  Value permute() const {
    const Dims dims = arg(1).ints();
    DimVector inverse;
    for (size_t i = 0; i < dims.size(); ++i) inverse.push_back(0);
    for (size_t i = 0; i < dims.size(); ++i)
      inverse[static_cast<size_t>(wrapped(Value(dims[i])))] = static_cast<int64_t>(i);
    return call_("aten::permute", {view_, context_.make_ints(inverse)});
  }

  // at::sum_to
  Value expand() const {
    const Dims sizes = base().sizes();
    if (sizes.empty()) return call_("aten::sum", {view_});
    const auto leading = static_cast<size_t>(view().dim()) - sizes.size();
    DimVector reduced;
    for (size_t i = 0; i < static_cast<size_t>(view().dim()); ++i) {
      const bool is_expanded = i < leading || (guard_or_false(sizes[i - leading] == 1) &&
                                               !guard_or_false(view().sizes()[i] == 1));
      if (is_expanded) reduced.push_back(static_cast<int64_t>(i));
    }
    Value result = view_;
    if (!reduced.empty())
      result = call_("aten::sum.dim_IntList", {result, context_.make_ints(reduced), true});
    return leading == 0 ? result : call_("aten::view", {result, base_sizes()});
  }

  Value slice_scatter(int64_t dim, SymInt start, SymInt length) const {
    SymInt end = start + length;
    const SymInt size = base().sizes()[static_cast<size_t>(dim)];
    if (guard_bool(end > size)) end = size;
    return call_("aten::slice_scatter", {base_, view_, dim, start, end, 1});
  }
  Value split() const {
    const SymInt length = arg(1).as_sym_int();
    return slice_scatter(wrapped(arg(2)), length * SymInt(static_cast<int64_t>(step_.element)),
                         length);
  }
  Value split_with_sizes() const {
    SymInt start = 0;
    for (size_t i = 0; i < step_.element; ++i) start = start + arg(1)[i].as_sym_int();
    return slice_scatter(wrapped(arg(2)), start, arg(1)[step_.element].as_sym_int());
  }
  Value unbind() const {
    return call_("aten::select_scatter",
                 {base_, view_, wrapped(arg(1)), static_cast<int64_t>(step_.element)});
  }

  Value unsqueezed(const std::vector<bool>& dims) const {
    Value result = view_;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] && guard_or_false(base().sizes()[i] == 1))
        result = call_("aten::unsqueeze", {result, static_cast<int64_t>(i)});
    }
    return result;
  }
  Value squeeze() const {
    return unsqueezed(std::vector<bool>(static_cast<size_t>(base().dim()), true));
  }
  Value squeeze_dim() const {
    std::vector<bool> dims(static_cast<size_t>(base().dim()));
    if (!dims.empty()) dims[static_cast<size_t>(wrapped(arg(1)))] = true;
    return unsqueezed(dims);
  }
  Value squeeze_dims() const {
    std::vector<bool> dims(static_cast<size_t>(base().dim()));
    for (size_t i = 0; !dims.empty() && i < arg(1).size(); ++i)
      dims[static_cast<size_t>(wrapped(arg(1)[i]))] = true;
    return unsqueezed(dims);
  }

  struct Row {
    std::string_view view;
    Value (Undo::*undo)() const;
  };
  static constexpr Row kRows[] = {
      {"aten::_conj", &Undo::conj},
      {"aten::_neg_view", &Undo::negative},
      {"aten::_reshape_alias", &Undo::reshape_alias},
      {"aten::_unsafe_view", &Undo::unsafe_view},
      {"aten::alias", &Undo::alias},
      {"aten::as_strided", &Undo::as_strided},
      {"aten::detach", &Undo::same},
      {"aten::diagonal", &Undo::diagonal},
      {"aten::expand", &Undo::expand},
      {"aten::lift_fresh", &Undo::same},
      {"aten::permute", &Undo::permute},
      {"aten::select.int", &Undo::select},
      {"aten::slice.Tensor", &Undo::slice},
      {"aten::split.Tensor", &Undo::split},
      {"aten::split_with_sizes", &Undo::split_with_sizes},
      {"aten::squeeze", &Undo::squeeze},
      {"aten::squeeze.dim", &Undo::squeeze_dim},
      {"aten::squeeze.dims", &Undo::squeeze_dims},
      {"aten::t", &Undo::t},
      {"aten::transpose.int", &Undo::transpose},
      {"aten::unbind.int", &Undo::unbind},
      {"aten::unfold", &Undo::unfold},
      {"aten::unsqueeze", &Undo::unsqueeze},
      {"aten::view", &Undo::view_sizes},
      {"aten::view.dtype", &Undo::view_dtype},
      {"aten::view_as_complex", &Undo::as_real},
      {"aten::view_as_real", &Undo::as_complex},
  };

  Context& context_;
  const ViewStep& step_;
  const Value& base_;
  const Value& view_;
  const CallByName& call_;
};

}  // namespace

Value undo_view(Context& context, const ViewStep& step, const Value& base, const Value& view,
                const CallByName& call) {
  return Undo(context, step, base, view, call).run();
}

}  // namespace faketensor

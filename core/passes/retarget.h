// Retarget: the numbers, dtypes and devices in a program's nodes, as a new export would have them.
//
// Rides on a propagation (RowEditor): before each row runs, its arguments are changed where they
// hold what the example was. What a number is follows from the tensors beside it: each of their
// dimensions is known as it was and as it is (size_changes.h). Numbers without such a tensor (the
// end of an arange, the sizes of zeros) are guessed to follow where they were the size of something
// that changed.
// A guess that was wrong shows where tensors meet: dimensions that were equal and are no longer.
// Their origins are decided anew, and the run is wanted again from the start (`is_finished`).
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/graph/fake_tensor_prop.h"
#include "core/graph/interpreter.h"
#include "core/ops/registry.h"
#include "core/passes/assumptions.h"
#include "core/passes/literals.h"
#include "core/passes/origins.h"
#include "core/passes/size_changes.h"
#include "core/passes/source_text.h"
#include "core/symbolic/evaluate.h"

namespace faketensor {

class Retarget final : public RowEditor {
 public:
  // Both must outlive this; `choices` is read and added to.
  Retarget(const Program& program, const PropagateOptions& options, Choices& choices);

  void edit(Context& context, const Plan& plan, Row row, std::span<Value> args) override;
  Moved moved_constant(Row row) override;
  void note_value(Row row, const Value& value) override;
  bool is_finished() const override { return has_new_choice_; }
  // All is answered with what is decided, whatever does not fit.
  void decide_no_more() { may_choose_ = false; }
  // The row edited last raised: whether something was decided anew for which it is worth running
  // again.
  bool learn_from_failure();

  // In the order of their nodes.
  std::vector<Assumption> assumptions() const;

 private:
  // --- what is known of the row that is edited (retarget.cpp) ---

  // A tensor among the arguments, as the file records it and as it is.
  struct Tensors {
    Row row = kNoRow;
    const TensorMeta* was = nullptr;
    const TensorMeta* is = nullptr;
  };
  using TensorList = SmallVector<Tensors, 4>;
  // Those of one argument, of a list too; and all of the row's.
  TensorList tensors_of(const Value& written, const Value& given) const;
  TensorList tensors() const;
  SizePairs pairs_of(const Tensors& tensor);
  // A number for each size: symbols are numbers that nothing else is, the same ones for a run.
  int64_t stand_in(SymInt size);
  // Back: the size that a number stands for which something has become.
  SymInt size_of(int64_t number) const;
  bool is_made(const ExprNode* symbol) const;
  bool changes_sizes() const { return !options_.dims.empty() || !options_.dynamic.empty(); }

  void edit_call();
  void edit_autocast();
  void follow_assert();

  // What was decided of a site; put into words when the run is over.
  struct Note {
    enum class Kind : uint8_t { kNumber, kDType, kDevice, kCopy };
    Site site;
    Kind kind = Kind::kNumber;
    bool is_guess = false;
    int64_t to = 0;  // the number; whether a dtype or device follows
    const Choice* choice = nullptr;
  };
  Assumption worded(const Note& note) const;
  std::string where(SizePair size) const;
  const Choice* choice_at(const Site& site);
  std::string site_group(const Site& site);
  static uint32_t ordinal(const Plan& plan, Row row);

  // --- numbers (retarget_sizes.cpp) ---

  void edit_sizes(const LiteralRow& literals);
  bool is_of_symbol(const LiteralRow& literals, const TensorMeta& self) const;
  void edit_reshape(const LiteralRow& literals, std::span<const SizePair> from, bool is_unflatten);
  void edit_expand(std::span<const SizePair> from);
  void edit_length(const LiteralRow& literals);
  void edit_numbers(const LiteralRow& literals, std::span<const SizePair> from);
  void edit_end(const LiteralRow& literals, std::span<const SizePair> from);
  int64_t likely_start(int64_t start, SizePair size, bool has_half) const;
  void edit_window(const LiteralRow& literals, std::span<const SizePair> from);
  void edit_pieces(const LiteralRow& literals, std::span<const SizePair> from);
  void copy_for_view();
  // The sizes of a list argument as they were written, and which of them are numbers.
  struct Written {
    Sizes was;
    SmallVector<bool, 8> is_literal;
  };
  std::optional<Written> written_sizes(int argument);
  // What a number without a tensor beside it has likely become; `nth` of that number in its list.
  int64_t guessed(int64_t was, size_t nth = 0) const;
  int64_t guessed_dimension(int64_t was) const;
  int64_t guessed_length(int64_t was) const;
  bool leads_batch(int64_t was) const;
  // What a dimension has become, seen at it or at those above; none where nothing is known yet.
  std::optional<int64_t> size_now(RowDim of, int64_t was);
  // What the site's number becomes: by choice, by its line of code, or `likely`.
  SymInt decide(int argument, int element, int64_t was, int64_t likely, bool is_guess);
  // What the line of code tells. `number`: what it certainly is; `is_size`: it is no constant;
  // `is_dimension`: it is one of a value that is named.
  struct Told {
    std::optional<int64_t> number = std::nullopt;
    bool is_size = false;
    bool is_dimension = false;
  };
  Told told_of(const Site& site);
  std::optional<int64_t> size_of_input(std::string_view name, int64_t dim,
                                       std::optional<int64_t> was);
  void check_unrolled();
  [[noreturn]] void refuse_unrolled(Row row, size_t dim, SizePair size) const;
  Row self_row() const;

  // --- dtypes and devices (retarget_casts.cpp) ---

  void edit_dtype();
  bool dtype_follows(int argument, DType written, bool& is_guess) const;
  Says said_of_cast(std::string_view line) const;
  bool is_assigned(NodeId value, std::string_view line) const;
  void edit_device();
  bool decide_aspect(int argument, Note::Kind kind, bool follows, bool is_guess);
  void note_idle_cast();
  void bypass_idle_casts();
  bool names_what_was_cast(Row cast) const;

  // --- what does not fit any more (retarget_conflicts.cpp) ---

  // A dimension of an argument.
  struct Operand {
    Row row = kNoRow;
    size_t dim = 0;
    SizePair size;
  };
  void check_alignment();
  void check_broadcast(std::span<const Tensors> tensors);
  void check_join();
  void check_index();
  void check_attention();
  void check_recurrent();
  // Two dimensions that meet. `must_equal`: neither may be broadcast to the other.
  bool settle(const Operand& a, const Operand& b, bool must_equal = false);
  // Decides that a dimension is what the one that it has met is; false where nothing can be decided.
  bool lift(const Operand& from, const Operand& met, bool must_equal = false);
  bool may_follow(const Site& site, bool must_equal);
  bool was_guessed(const Operand& operand) const;
  bool has_said(const Operand& operand) const;
  bool settle_aspect(Aspect aspect);
  bool revert_guess();
  bool choose(const Site& site, int64_t to, std::string_view reason);

  const Program& program_;
  const PropagateOptions& options_;
  Choices& choices_;
  DType example_dtype_ = DType::kFloat32;
  Device example_device_;

  // The row that is edited.
  Context* context_ = nullptr;
  const Plan* plan_ = nullptr;
  Row row_ = kNoRow;
  const OpEntry* op_ = nullptr;
  std::span<Value> args_;
  std::vector<Value> last_args_;  // of the row edited last, when the run is over
  Arena arena_;                   // of arguments written anew

  // What the run has shown.
  std::vector<const TensorMeta*> values_;  // as they are, by row; null for what is no tensor
  SizeChanges changes_;
  std::map<int64_t, int64_t> counts_;  // of elements, as they were and are
  Assignment symbols_;                 // see stand_in
  std::map<const ExprNode*, int64_t> stand_ins_;
  std::vector<std::pair<SymInt, int64_t>> made_;  // symbols of PropagateOptions::dynamic
  std::map<int64_t, SymInt> sizes_of_;            // what is made of them, by its number
  std::map<Row, Value> idle_casts_;  // and what they were given: Note [Casts that did nothing]
  // Of dimensions that changed, which of their indices were selected: by row and dimension.
  std::map<std::pair<Row, size_t>, std::set<int64_t>> selected_;

  // What was decided.
  std::vector<Note> notes_;
  std::vector<Site> guesses_;  // that changed something, in order
  std::set<Site> said_;        // numbers that stay because another in their list has changed
  std::set<std::tuple<const Plan*, Row, size_t>>
      kept_;  // dimensions that nothing can be done about
  bool has_new_choice_ = false;
  bool may_choose_ = true;
};

}  // namespace faketensor

// Which guards an operator leaves on symbolic sizes, and where it refuses because only data can
// tell. The answers are PyTorch 2.13's, asked with tensors of the same sizes.
#include <array>

#include "core/symbolic/cpp_comparison.h"
#include "core/symbolic/shape_env.h"
#include "expect_call.h"

namespace faketensor {
namespace {

// A call whose tensors have symbolic sizes: f32[4,3] is of s0 and s1 with these hints (0 and 1 are
// plain), f32[?,3] has an unbacked size u0, f32[=4,3] a plain one. Tensors with blanks between them
// are one list.
struct GuardCase {
  std::string_view op;
  std::vector<std::string> args;
  std::string_view answer;  // guards, then what was raised; of a runtime assert "assert ..."
};

class SymbolicCall {
 public:
  explicit SymbolicCall(int64_t least, ShapeEnvOptions options = {})
      : env_(std::make_shared<ShapeEnv>(options)), least_(least) {
    mode_.attach_shape_env(env_);
  }
  bool under_dispatcher = false;

  std::string answer(const GuardCase& given) {
    const OpEntry& op = Registry::builtin().entry(Registry::builtin().find(given.op));
    std::vector<Value> values(op.schema.arguments.size(), Value::unset());
    for (size_t i = 0; i < given.args.size(); ++i)
      values.at(i) = value(given.args[i], op.schema.arguments[i].type);
    mode_.context().python_dispatcher = under_dispatcher;
    const Outcome outcome = mode_.call(Registry::builtin().find(given.op), values);
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    for (const Guard& guard : env_->guards()) add(to_string(guard.condition));
    for (const RuntimeAssert& known : env_->deferred_runtime_asserts())
      add("assert " + to_string(known.condition));
    if (outcome.error) {
      const std::string message(outcome.error->message());
      add(std::string(outcome.error->class_name()) + ": " + message.substr(0, message.find(" (")));
    }
    return text;
  }

 private:
  SymInt size(std::string_view text) {
    if (text == "?") {
      const SymInt size = env_->create_unbacked_int();
      env_->constrain_range_for_size(size);
      return size;
    }
    const bool is_plain = text.front() == '=';
    const int64_t hint = std::stoll(std::string(text.substr(is_plain ? 1 : 0)));
    if (is_plain || hint < least_) return hint;
    return env_->create_backed("s" + std::to_string(symbols_++), hint,
                               ValueRange::ints(least_, kIntInfinity));
  }
  Value tensor(std::string_view text) {
    const size_t open = text.find('[');
    const DType dtype = text.starts_with("i64") ? DType::kInt64 : DType::kFloat32;
    std::string_view left = text.substr(open + 1, text.size() - open - 2);
    DimVector sizes;
    while (!left.empty()) {
      const size_t comma = std::min(left.find(','), left.size());
      sizes.push_back(size(left.substr(0, comma)));
      left.remove_prefix(std::min(comma + 1, left.size()));
    }
    return mode_.empty(sizes, dtype);
  }
  Value value(std::string_view text, const ArgType& type) {
    if (!text.starts_with("f32[") && !text.starts_with("i64["))
      return parse_value(mode_, text, type);
    if (text.find(' ') == std::string_view::npos) return tensor(text);
    std::vector<Value> elements;
    for (size_t at = 0; at < text.size();) {
      const size_t blank = std::min(text.find(' ', at), text.size());
      elements.push_back(tensor(text.substr(at, blank - at)));
      at = blank + 1;
    }
    return mode_.context().make_list(elements);
  }

  FakeTensorMode mode_;
  std::shared_ptr<ShapeEnv> env_;
  int64_t least_;
  int symbols_ = 0;
};

// Sizes are at least 2, as ShapeEnv takes them to be.
void expect_guards(std::initializer_list<GuardCase> cases) {
  for (const GuardCase& c : cases) EXPECT_EQ(SymbolicCall(2).answer(c), c.answer) << c.op;
}
// Sizes may be 0 or 1 (specialize_zero_one=False).
void expect_guards_of_any_size(std::initializer_list<GuardCase> cases) {
  for (const GuardCase& c : cases) EXPECT_EQ(SymbolicCall(0).answer(c), c.answer) << c.op;
}

TEST(SymbolicGuards, CppKernelsSpecialiseTheSizesTheyRead) {
  expect_guards({
      {"aten::kron", {"f32[4,3]", "f32[5,6]"}, "Eq(s0, 4), Eq(s1, 3), Eq(s2, 5), Eq(s3, 6)"},
      {"aten::linalg_multi_dot",
       {"f32[4,3] f32[3,5] f32[5,6]"},
       "Eq(s0, 4), Eq(s1, 3), Eq(s4, 5), Eq(s5, 6), Eq(s2, 3), Eq(s3, 5)"},
      {"aten::linalg_multi_dot", {"f32[3] f32[3,5]"}, "Eq(s1, 3), Eq(s2, 5), Eq(s0, 3)"},
      {"aten::gradient.scalarint", {"f32[4,5]"}, "Eq(s0, 4), Eq(s1, 5)"},
      {"aten::hash_tensor", {"f32[3,4]"}, "Eq(s0, 3), Eq(s1, 4)"},
      {"aten::linalg_matrix_norm", {"f32[2,3,4]", "inf"}, "Eq(s0, 2), Eq(s1, 3)"},
      {"aten::complex", {"f32[4,3]", "f32[4,3]"}, "Eq(s1, 3), Eq(s0, 4), Eq(s3, 3), Eq(s2, 4)"},
      {"aten::baddbmm", {"f32[1,=3,4]", "f32[=2,=3,1]", "f32[=2,1,=4]"}, "Eq(3*s0, 12)"},
      {"aten::bilinear",
       {"f32[0,5]", "f32[0,6]", "f32[7,5,6]"},
       "Eq(s0, s3), Eq(s1, s4), Eq(s2, 7)"},
      {"aten::cross_entropy_loss",
       {"f32[4,3]", "f32[4,3]", "f32[3]"},
       "Eq(s0, s2), Eq(s1, s3), Eq(s4, s1), Eq(s1, 3)"},
  });
}

TEST(SymbolicGuards, TheDispatcherSparesOnlyWhatHasAPythonDecomposition) {
  const auto answer = [](const GuardCase& given) {
    SymbolicCall call(2);
    call.under_dispatcher = true;
    return call.answer(given);
  };
  EXPECT_EQ(answer({"aten::complex", {"f32[4,3]", "f32[4,3]"}, ""}), "Eq(s3, s1), Eq(s2, s0)");
  EXPECT_EQ(answer({"aten::permute_copy", {"f32[4,3]", "[1,0]"}, ""}), "");
  EXPECT_EQ(answer({"aten::kron", {"f32[4,3]", "f32[=5,6]"}, ""}),
            "Eq(s0, 4), Eq(s1, 3), Eq(s2, 6)");
}

TEST(SymbolicGuards, CppChecksRaiseWhereOnlyDataCanTell) {
  constexpr std::string_view kCannotTell =
      "GuardOnDataDependentSymNode: Could not guard on data-dependent expression ";
  const auto refusal = [&](std::string_view what) { return std::string(kCannotTell).append(what); };
  const std::pair<GuardCase, std::string> cases[] = {
      {{"aten::cdist", {"f32[4,3]", "f32[5,?]"}, ""}, refusal("Eq(3, u0)")},
      {{"aten::cdist", {"f32[4,=3]", "f32[?,=3]"}, ""}, refusal("Eq(3*u0, 0)")},
      {{"aten::inner", {"f32[4,3]", "f32[5,?]"}, ""}, refusal("Eq(3, u0)")},
      {{"aten::logdet", {"f32[?,4]"}, ""}, refusal("Eq(4, u0)")},
      {{"aten::cosine_similarity", {"f32[4,3]", "f32[?,3]"}, ""}, refusal("Eq(4, u0)")},
      {{"aten::squeeze_.dim", {"f32[?,3]", "0"}, ""}, refusal("Ne(u0, 1)")},
      {{"aten::squeeze_copy", {"f32[4,?]"}, ""}, refusal("Ne(u0, 1)")},
      {{"aten::adaptive_max_pool1d", {"f32[3,4,?]", "[2]"}, ""}, refusal("u0 > 0")},
      {{"aten::cumulative_trapezoid.x", {"f32[3,?]", "f32[4]"}, ""}, refusal("Eq(4, u0)")},
      {{"aten::pad", {"f32[3,4,?]", "[0,1]", "circular"}, ""}, refusal("1 <= u0")},
      {{"aten::fft_fft", {"f32[5,?,3]", "None", "1"}, ""}, refusal("u0 >= 1")},
      {{"aten::fft_hfft", {"f32[5,?,3]", "None", "1"}, ""}, refusal("2*u0 - 2 >= 1")},
  };
  for (const auto& [given, answer] : cases)
    EXPECT_EQ(SymbolicCall(2).answer(given), answer) << given.op;
  // Python's checks are deferred.
  expect_guards({{"aten::det", {"f32[?,4]"}, "assert Eq(s0, u0)"}});
}

TEST(SymbolicGuards, ConversionsToSparseRunRealKernels) {
  expect_guards({
      {"aten::to_sparse", {"f32[4,3]"}, "UnsupportedOperatorException: aten._to_sparse.default"},
      {"aten::to_sparse_csr",
       {"f32[4,3]"},
       "UnsupportedOperatorException: aten._to_sparse_csr.default"},
  });
}

TEST(SymbolicGuards, DistancesByProductsAreThoseOfManyRows) {
  expect_guards({
      {"aten::cdist", {"f32[2,4,3]", "f32[2,5,3]"}, "Eq(s2, s5), s1 <= 25, s4 <= 25, Eq(s3, s0)"},
      {"aten::cdist", {"f32[2,4,3]", "f32[2,30,3]"}, "Eq(s2, s5), s1 <= 25, s4 > 25, Eq(s0, s3)"},
      {"aten::cdist", {"f32[2,4,3]", "f32[2,30,3]", "2.0", "1"}, "Eq(s2, s5), Eq(s0, s3)"},
      {"aten::cdist", {"f32[2,4,3]", "f32[2,30,3]", "3.0"}, "Eq(s2, s5), Eq(s3, s0)"},
  });
}

// A view of one dimension is looked at from the left: 1 < s0 says more to ShapeEnv than s0 > 1.
TEST(SymbolicGuards, CppComparisonsKeepANumberOnTheLeft) {
  ShapeEnv env;
  const SymInt s = env.create_backed("s0", 8, ValueRange::ints(2, kIntInfinity));
  const SymInt half = floor_div(s, floor_div(s, 2));
  EXPECT_EQ(to_string(cpp_compare(Comparison::kLt, 1, half)), "1 < ((s0//((s0//2))))");
  EXPECT_EQ(to_string(1 < half), "((s0//((s0//2)))) > 1");
  EXPECT_TRUE(cpp_lt(1, half));
  EXPECT_TRUE(statically_known_true(half >= 2));
}

// prims.cat makes a row-major tensor by torch.empty_strided.
TEST(SymbolicGuards, JoinedSizesAreAskedWhetherTheyAreZero) {
  const auto env = std::make_shared<ShapeEnv>();
  FakeTensorMode mode;
  mode.attach_shape_env(env);
  const SymInt s = env->create_backed("s0", 8, ValueRange::ints(2, kIntInfinity));
  const Value half = mode.empty(DimVector{s, floor_div(s - 1, 2)}, DType::kFloat32);
  const std::array halves = {half, half};
  const std::array args = {mode.context().make_list(halves), Value(0)};
  mode.call(Registry::builtin().find("aten::cat"), args);
  ASSERT_EQ(env->guards().size(), 1u);
  EXPECT_EQ(to_string(env->guards()[0].condition), "Ne(((s0 - 1)//2), 0)");
}

TEST(SymbolicGuards, PartsOfSymbolicSizesMustAddUp) {
  expect_guards({
      {"aten::split_with_sizes",
       {"f32[4,3]", "[1, 2]"},
       "Ne(s0, 3), ValueError: Split sizes add up to 3 but got the tensor's size of s0"},
      {"aten::split_with_sizes", {"f32[4,3]", "[1, 3]"}, "Eq(s0, 4)"},
  });
}

TEST(SymbolicGuards, CumulativeSumsCompareEachPlaceWithEach) {
  expect_guards_of_any_size({
      {"aten::cumsum", {"f32[4]", "0"}, "Ne(s0, 1), s0**2 >= 2"},
      {"aten::cumprod", {"f32[4]", "0"}, "Ne(s0, 1), s0**2 >= 2"},
  });
}

// The places that are compared are counted where the tensor is.
TEST(SymbolicGuards, CumulativeSumsStayOnTheirDevice) {
  const auto env = std::make_shared<ShapeEnv>();
  FakeTensorMode mode;
  mode.attach_shape_env(env);
  const SymInt s = env->create_backed("s0", 8, ValueRange::ints(2, kIntInfinity));
  const Device cuda{DeviceType::kCUDA, 0};
  const Value x = mode.empty(DimVector{s}, DType::kInt64, cuda);
  const Outcome outcome =
      mode.call(Registry::builtin().find("aten::cumsum"), std::array{x, Value(0)});
  ASSERT_FALSE(outcome.error) << outcome.error->message();
  EXPECT_EQ(outcome.value.tensor().device(), cuda);
}

// Found by the soundness fuzzer: x[1][0] has no dimensions, and an offset of s1.
TEST(SymbolicGuards, CumulativeSumsOfAScalarAreOfOneValue) {
  const auto env = std::make_shared<ShapeEnv>();
  FakeTensorMode mode;
  mode.attach_shape_env(env);
  const SymInt s = env->create_backed("s0", 8, ValueRange::ints(2, kIntInfinity));
  const OpId select = Registry::builtin().find("aten::select.int");
  const Value x = mode.empty(DimVector{s, s}, DType::kFloat32);
  const Value row = mode.call(select, std::array{x, Value(0), Value(1)}).value;
  const Value scalar = mode.call(select, std::array{row, Value(0), Value(0)}).value;
  const OpId cumsum = Registry::builtin().find("aten::cumsum");
  const Outcome outcome = mode.call(cumsum, std::array{scalar, Value(0)});
  ASSERT_FALSE(outcome.error);
  EXPECT_TRUE(outcome.value.tensor().sizes().empty());
}

TEST(SymbolicGuards, ReferencesAskWhichSizesBroadcast) {
  expect_guards_of_any_size({
      {"aten::unsqueeze", {"f32[4,3]", "0"}, "Ne(s0, 1), Ne(s1, 1)"},
      {"aten::amax", {"f32[4,3]", "[0]", "True"}, "Ne(s1, 1)"},
      {"aten::special_log_ndtr", {"f32[4]"}, "Ne(s0, 1), s0 >= 2"},
      {"aten::exp", {"f32[4]"}, ""},
      {"aten::round", {"f32[4]"}, "Ne(s0, 1)"},
      {"aten::selu", {"f32[4]"}, "Ne(s0, 1), s0 >= 2"},
      {"aten::relu", {"f32[4]"}, "Ne(s0, 1)"},
      {"aten::celu", {"f32[4]"}, "Ne(s0, 1)"},
      {"aten::mean.dim", {"f32[4,3,5]", "[0]"}, "Ne(s2, 1), Ne(s1, 1), s1*s2 >= 2"},
  });
}

TEST(SymbolicGuards, ArithmeticOfLossesIsDeferredWhereGuardsAreAvoided) {
  ShapeEnvOptions options;
  options.prefer_deferred_runtime_asserts_over_guards = true;
  const GuardCase cases[] = {
      {"aten::huber_loss", {"f32[3]", "f32[3]"}, "assert Eq(s0, s1)"},
      {"aten::soft_margin_loss", {"f32[3]", "f32[3]"}, "assert Eq(s0, s1)"},
      {"aten::addmm",
       {"f32[3,4]", "f32[3,5]", "f32[5,4]"},
       "assert Eq(s3, s4), assert Eq(s5, s1), assert Eq(s2, s0)"},
      {"aten::inner", {"f32[4,3]", "f32[5,3]"}, "Eq(s1, s3)"},  // C++
  };
  for (const GuardCase& c : cases) EXPECT_EQ(SymbolicCall(2, options).answer(c), c.answer) << c.op;
}

TEST(SymbolicGuards, CombinationsSelectAsManyTimesAsTheyHavePlaces) {
  expect_guards({
      {"aten::combinations", {"f32[4]"}, "Eq(s0, 4), assert Eq(u1, u0)"},
      {"aten::combinations", {"f32[4]", "1"}, "Eq(s0, 4)"},
      {"aten::combinations", {"f32[4]", "0"}, ""},
  });
}

TEST(SymbolicGuards, SumsToASizeAskInCppWhetherItExpands) {
  expect_guards({
      {"aten::sum_to_size", {"f32[3,5]", "[1,5]"}, "Eq(5, s1)"},
      {"aten::sum_to_size",
       {"f32[3,5]", "[4]"},
       "Ne(4, s1), Eq(s0, 3), Eq(s1, 5), RuntimeError: size {[4]} is not expandable to size {[3, "
       "5]}."},
  });
}

TEST(SymbolicGuards, PaddingMayNotOverflow) {
  expect_guards({{"aten::conv1d.padding",
                  {"f32[3,4,9]", "f32[5,4,3]", "None", "[1]", "same", "[2]"},
                  "Eq(s1, s4), s5 - 1 <= 4611686018427387904 - s5, s5 <= 3"}});
}

TEST(SymbolicGuards, RolledDimensionsAreRangesThatAreAddedTo) {
  expect_guards_of_any_size({{"aten::roll", {"f32[5,6,7]", "[-1]", "[0]"}, "Ne(s0, 1), s0 >= 2"}});
}

TEST(SymbolicGuards, SplitsThatDoNotAddUpAreRefusedInTheWordsOfTheReference) {
  expect_guards({{"aten::split_with_sizes",
                  {"f32[9,=12,7]", "[1,3,1]"},
                  "Ne(s0, 5), ValueError: Split sizes add up to 5 but got the tensor's size of "
                  "s0"}});
}

TEST(SymbolicGuards, CppMessagesSpecialiseTheSizesThatTheyPrint) {
  expect_guards({{"aten::group_norm",
                  {"f32[=9,5,=1]", "2"},
                  "Ne(Mod(s0, 2), 0), Eq(s0, 5), RuntimeError: Expected number of channels in "
                  "input to be divisible by num_groups, but got input of shape [9, 5, 1] and "
                  "num_groups=2"}});
}

TEST(SymbolicGuards, AFailingSplitPrintsTheSizeAndSoSpecialisesAll) {
  expect_guards({
      {"aten::hsplit.int",
       {"f32[4,7]", "2"},
       "Ne(Mod(s1, 2), 0), Eq(s0, 4), Eq(s1, 7), RuntimeError: torch.hsplit attempted to split "
       "along dimension 1, but the size of the dimension 7 is not divisible by the split_size 2!"},
      {"aten::hsplit.int",
       {"f32[4,6]", "2"},
       "Eq(Mod(s1, 2), 0), ((s1//2)) <= s1, 2*((s1//2)) <= s1"},
  });
}

TEST(SymbolicGuards, CppThatWantsNumbersRefusesSymbols) {
  expect_guards({
      {"aten::numel",
       {"f32[4,=3]"},
       "RuntimeError: Cannot call numel() on tensor with symbolic sizes/strides"},
      {"aten::numel", {"f32[=4,=3]"}, ""},
      {"aten::trace",
       {"f32[4,=3]"},
       "RuntimeError: Cannot call storage_offset() on tensor with symbolic sizes/strides"},
  });
}

TEST(SymbolicGuards, AnExtremumAsksAllReducedSizesAtOnce) {
  expect_guards({
      {"aten::amax", {"f32[?,?]", "[0, 1]"}, "assert (0 < u0) & (0 < u1)"},
      {"aten::amax", {"f32[?,?]", "[1]"}, "assert 0 < u1"},
  });
}

TEST(SymbolicGuards, AJoinCastsBeforeItComparesRanks) {
  expect_guards_of_any_size({
      {"aten::cat",
       {"i64[4] f32[4,3]"},
       "s0 >= 2, RuntimeError: Number of dimensions of tensors must match.  Expected 2-D "
       "tensors, but got 1-D for tensor number 0 in the list"},
  });
}

TEST(SymbolicGuards, ContractedSizesAreGuardedEvenWhereGuardsAreAvoided) {
  ShapeEnvOptions options;
  options.prefer_deferred_runtime_asserts_over_guards = true;
  EXPECT_EQ(SymbolicCall(2, options)
                .answer({"aten::tensordot", {"f32[4,3]", "f32[4,5]", "[0]", "[0]"}, ""}),
            "Eq(s0, s2)");
}

// The comparison of coordinates is a call of its own, whose operands are looked at.
TEST(SymbolicGuards, ATriangleComparesCoordinates) {
  expect_guards_of_any_size({
      {"aten::triu", {"f32[=4,3]"}, "Ne(s0, 1)"},
      {"aten::triu", {"f32[4,3]"}, "Ne(s1, 1), Ne(s0, 1), s0*s1 >= 2"},
  });
}

// at::detail::computeStorageNbytesContiguous.
TEST(SymbolicGuards, TheStorageOfAResizedTensorIsCountedByElements) {
  const auto env = std::make_shared<ShapeEnv>();
  FakeTensorMode mode;
  mode.attach_shape_env(env);
  const SymInt rows = env->create_backed("s0", 4, ValueRange::ints(2, kIntInfinity));
  const SymInt columns = env->create_backed("s1", 3, ValueRange::ints(2, kIntInfinity));
  const Value x = mode.empty(DimVector{rows}, DType::kFloat32);
  const Value args[] = {x, mode.context().make_ints(DimVector{rows, columns})};
  const Outcome outcome = mode.call("aten::resize_", args);
  ASSERT_FALSE(outcome.error);
  EXPECT_EQ(to_string(x.tensor().storage->nbytes), "4*s0*s1");
}

TEST(SymbolicGuards, PermutationsAreRefusedInTheWordsOfTheReference) {
  expect_guards({{"aten::permute",
                  {"f32[4,3]", "[1,1]"},
                  "ValueError: Received an invalid permutation, [1, 1]!"},
                 {"aten::permute",
                  {"f32[4,3]", "[0]"},
                  "ValueError: Attempting to permute a tensor of rank 2, but received a "
                  "permutation of length 1!"}});
}

TEST(SymbolicGuards, CopiesOfPartsAskInCppForAnOffset) {
  expect_guards({{"aten::narrow_copy",
                  {"f32[4,3]", "0", "0", "1"},
                  "Eq(s0, 4), Eq(s1, 3), RuntimeError: Cannot call storage_offset() on tensor with "
                  "symbolic sizes/strides"}});
}

TEST(SymbolicGuards, NormsAreSumsOfPowers) {
  expect_guards_of_any_size({{"aten::linalg_vector_norm",
                              {"f32[5,10]", "2", "[1]"},
                              "Ne(s1, 1), Ne(s0, 1), s0*s1 >= 2"}});
}

// The bytes of what an operator answers for f32[u0, u1].
std::string bytes_of(std::string_view op) {
  const auto env = std::make_shared<ShapeEnv>();
  FakeTensorMode mode;
  mode.attach_shape_env(env);
  DimVector sizes;
  for (int i = 0; i < 2; ++i) {
    sizes.push_back(env->create_unbacked_int());
    env->constrain_range_for_size(sizes.back());
  }
  const Value self = mode.empty(sizes, DType::kFloat32);
  const Outcome outcome = mode.call(Registry::builtin().find(op), {&self, 1});
  return format("{}", outcome.value.tensor().storage->nbytes);
}

// The dispatch cache answers what was made before in the same call by torch.empty_strided.
TEST(SymbolicGuards, StepsMadeAgainCountTheirBytesByStrides) {
  EXPECT_EQ(bytes_of("aten::relu"), "4*u0*u1");  // a comparison, then a choice
  EXPECT_EQ(bytes_of("aten::softshrink"), "4*u1 + 4*(u0 - 1)*Max(1, u1)");
  EXPECT_EQ(bytes_of("aten::rsqrt"), "4*u0*u1");
}

// s68 is s17, which is then found to be s15: the key of the next call asks for s68.
TEST(SymbolicGuards, CallsShortenChainsOfReplacements) {
  const auto env = std::make_shared<ShapeEnv>();
  FakeTensorMode mode;
  mode.attach_shape_env(env);
  const auto symbol = [&](std::string name) {
    return env->create_backed(std::move(name), 5, ValueRange::ints(2, kIntInfinity));
  };
  const SymInt s15 = symbol("s15");
  const SymInt s17 = symbol("s17");
  const SymInt s68 = symbol("s68");
  const Value self = mode.empty(DimVector{s68}, DType::kFloat32);
  EXPECT_TRUE(guard_bool(s68 == s17));
  EXPECT_TRUE(guard_bool(s17 == s15));
  EXPECT_EQ(to_string(env->replacement(s68.node())), "s17");
  mode.call(Registry::builtin().find("aten::relu"), {&self, 1});
  EXPECT_EQ(to_string(env->replacement(s68.node())), "s15");
}

}  // namespace
}  // namespace faketensor

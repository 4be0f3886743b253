#include "core/symbolic/produce_guards.h"

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/symbolic/dim_constraints.h"
#include "core/symbolic/guard_printer.h"
#include "core/symbolic/symbolic_geometry.h"

namespace faketensor {
namespace {

using Lines = std::vector<std::string>;

// A contiguous input with symbols of its own.
GuardedInput input(ShapeEnv& env, const char* name, std::vector<int64_t> sizes,
                   SymbolicContext* context = nullptr) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  SymbolicContext dynamic(std::vector<DimDynamic>(sizes.size(), DimDynamic::kDynamic));
  GuardedInput result{.source = Source::local(name)};
  const SymbolicGeometry made = create_symbolic_geometry(env, sizes, strides, 0, result.source,
                                                         context == nullptr ? dynamic : *context);
  result.sizes = made.sizes;
  result.strides = made.strides;
  result.offset = made.offset;
  result.context = context;
  return result;
}

std::string error_of(auto&& call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(error.class_name()) + ": " + error.message();
  }
  return "no error";
}

TEST(ProduceGuards, RelateInputsThenStateGuardsThenRanges) {
  ShapeEnv env;
  const GuardedInput inputs[] = {input(env, "x", {5, 4}), input(env, "y", {5, 3})};
  EXPECT_TRUE(guard_bool(inputs[0].sizes[0] == inputs[1].sizes[0]));
  EXPECT_TRUE(guard_bool(inputs[0].sizes[1] * 2 != inputs[1].sizes[1] * 3));
  EXPECT_EQ(produce_guards(env, inputs).exprs,
            (Lines{"L['x'].stride()[0] == L['x'].size()[1]", "L['y'].size()[0] == L['x'].size()[0]",
                   "L['y'].stride()[0] == L['y'].size()[1]",
                   "(2*L['x'].size()[1]) != (3*L['y'].size()[1])", "2 <= L['x'].size()[0]",
                   "2 <= L['x'].size()[1]", "2 <= L['y'].size()[1]"}));
}

TEST(ProduceGuards, SayWhyInTheirVerboseForm) {
  ShapeEnv env;
  SymbolicContext duck = SymbolicContext::all_duck(1);
  const GuardedInput inputs[] = {input(env, "x", {5}, &duck), input(env, "y", {5}, &duck)};
  env.set_origin(7);
  EXPECT_TRUE(guard_bool(inputs[0].sizes[0] <= 9));
  GuardRequest request;
  request.describe_origin = [](uint32_t origin) { return "node " + std::to_string(origin); };
  const Lines verbose = produce_guards(env, inputs, request).verbose;
  ASSERT_EQ(verbose.size(), 2u);
  EXPECT_TRUE(verbose[0].find("# duck sizing added this equality") != std::string::npos);
  EXPECT_EQ(verbose[1], "2 <= L['x'].size()[0] <= 9  # node 7");
}

// Which of the guards on x: [a, b], y: [c, d] the sizes break, with contiguous strides.
Lines broken_by(const ProducedGuards& guards, std::vector<std::vector<int64_t>> sizes) {
  using Property = InputNumber::Property;
  std::vector<Number> numbers;
  for (const InputNumber& each : guards.numbers) {
    const std::vector<int64_t>& input = sizes[each.input];
    const int64_t stride = each.dim == 0 ? input[1] : 1;
    numbers.push_back(Number::of(each.property == Property::kSize     ? input[each.dim]
                                 : each.property == Property::kStride ? stride
                                                                      : 0));
  }
  Assignment symbols;
  for (const auto& [symbol, place] : guards.symbols) symbols[symbol] = numbers[place];
  Lines broken;
  for (size_t i = 0; i < guards.conditions.size(); ++i) {
    if (!holds(guards.conditions[i], numbers, symbols)) broken.push_back(guards.exprs[i]);
  }
  return broken;
}

TEST(ProduceGuards, AreCheckedForOtherInputs) {
  ShapeEnv env;
  const GuardedInput inputs[] = {input(env, "x", {5, 4}), input(env, "y", {5, 3})};
  EXPECT_TRUE(guard_bool(inputs[0].sizes[0] == inputs[1].sizes[0]));
  EXPECT_TRUE(guard_bool(inputs[0].sizes[1] * 2 != inputs[1].sizes[1] * 3));
  EXPECT_FALSE(guard_bool(mod(inputs[0].sizes[0], inputs[0].sizes[1]) == 0));
  const ProducedGuards guards = produce_guards(env, inputs);
  EXPECT_EQ(broken_by(guards, {{5, 4}, {5, 3}}), Lines());
  EXPECT_EQ(broken_by(guards, {{7, 2}, {7, 5}}), Lines());
  EXPECT_EQ(broken_by(guards, {{7, 2}, {8, 5}}), (Lines{"L['y'].size()[0] == L['x'].size()[0]"}));
  EXPECT_EQ(broken_by(guards, {{7, 3}, {7, 2}}),
            (Lines{"(2*L['x'].size()[1]) != (3*L['y'].size()[1])"}));
  EXPECT_EQ(broken_by(guards, {{8, 4}, {8, 1}}),
            (Lines{"(L['x'].size()[0] % L['x'].size()[1]) != 0", "2 <= L['y'].size()[1]"}));
  // A remainder by zero has no value.
  EXPECT_EQ(broken_by(guards, {{7, 0}, {7, 5}}),
            (Lines{"(L['x'].size()[0] % L['x'].size()[1]) != 0", "2 <= L['x'].size()[1]"}));
}

TEST(ProduceGuards, AreCheckedExactly) {
  constexpr int64_t kLarge = (int64_t{1} << 61) - 1;
  ShapeEnv env;
  const GuardedInput inputs[] = {input(env, "x", {3, 2}), input(env, "y", {10, 2})};
  EXPECT_TRUE(guard_bool(inputs[1].sizes[0] == inputs[0].sizes[0] * 3 + 1));
  const ProducedGuards guards = produce_guards(env, inputs);
  EXPECT_EQ(broken_by(guards, {{kLarge, 2}, {kLarge * 3 + 1, 2}}), Lines());
  EXPECT_EQ(broken_by(guards, {{kLarge, 2}, {kLarge * 3 + 2, 2}}).size(), 1u);
}

TEST(ProduceGuards, ExpressionOverNumberedInputs) {
  ShapeEnv env;
  const GuardedInput inputs[] = {input(env, "x", {5, 4})};
  EXPECT_EQ(produce_guards_expression(env, inputs),
            "L['t0'].stride()[0] == L['t0'].size()[1] and 2 <= L['t0'].size()[0] and 2 <= "
            "L['t0'].size()[1]");
}

TEST(ProduceGuards, PrintAsPythonDoes) {
  ExprPool pool;
  const ExprNode* s = pool.symbol({.name = "s", .positive = true});
  const ExprNode* t = pool.symbol({.name = "t", .positive = true});
  const auto text = [&](const ExprNode* node) {
    return python_text(
        node, [](const ExprNode* symbol) { return symbol->pool->symbol_info(symbol).name; });
  };
  EXPECT_EQ(text(pool.make(ExprKind::kEq, pool.make(ExprKind::kMod, s, t), pool.integer(0))),
            "(s % t) == 0");
  EXPECT_EQ(text(pool.mul(pool.integer(2), pool.make(ExprKind::kFloorDiv, s, t))), "2*(s // t)");
  EXPECT_EQ(text(pool.subtract(s, pool.integer(1))), "(-1) + s");
  EXPECT_EQ(text(pool.mul(s, s)), "s*s");
  EXPECT_EQ(text(pool.make(ExprKind::kMax, s, t)), "max(s, t)");
}

// What torch.export says of `x + y` with Dims of two names, and of `x if x.shape[0] <= 10`.
TEST(CheckExportGuards, SuggestEqualDims) {
  ShapeEnv env;
  SymbolicContext first({DimDynamic::kDynamic});
  first.constraint_sizes[0] = DimConstraint::min_max(0, kIntInfinity);
  SymbolicContext second = first;
  const GuardedInput inputs[] = {input(env, "x", {6}, &first), input(env, "y", {6}, &second)};
  EXPECT_TRUE(guard_bool(inputs[0].sizes[0] == inputs[1].sizes[0]));
  const DeclaredEqualities none;
  GuardRequest request;
  request.debug_names = {{"L['x'].size()[0]", "dx"}, {"L['y'].size()[0]", "dy"}};
  request.equalities = &none;
  EXPECT_EQ(error_of([&] {
              check_export_guards(env, inputs, request, {{.name = "dx"}, {.name = "dy"}});
            }),
            "ConstraintViolationError: Constraints violated (dy)! For more information, run with "
            "TORCH_LOGS=\"+dynamic\".\n  - The values of dy = L['y'].size()[0] and dx = "
            "L['x'].size()[0] must always be equal.\nSuggested fixes:\n  dy = dx");
}

std::string export_error(int64_t size, const std::function<void(SymInt)>& body) {
  ShapeEnv env;
  SymbolicContext context({DimDynamic::kDynamic});
  context.constraint_sizes[0] = DimConstraint::min_max(0, kIntInfinity);
  const GuardedInput inputs[] = {input(env, "x", {size}, &context)};
  body(inputs[0].sizes[0]);
  GuardRequest request;
  request.debug_names = {{"L['x'].size()[0]", "dx"}};
  return error_of([&] { check_export_guards(env, inputs, request, {{.name = "dx"}}); });
}

TEST(CheckExportGuards, SuggestARange) {
  EXPECT_EQ(export_error(6, [](SymInt size) { guard_bool(size <= 10); }),
            "ConstraintViolationError: Constraints violated (dx)! For more information, run with "
            "TORCH_LOGS=\"+dynamic\".\n  - Not all values of dx = L['x'].size()[0] in the "
            "specified range satisfy the generated guard 2 <= L['x'].size()[0] and "
            "L['x'].size()[0] <= 10\nSuggested fixes:\n  dx = Dim('dx', max=10)");
}

TEST(CheckExportGuards, SuggestANumber) {
  const std::string error = export_error(4, [](SymInt size) { guard_int(size); });
  EXPECT_TRUE(error.find("You marked dx as dynamic but your code specialized it to be a constant "
                         "(4).") != std::string::npos);
  EXPECT_TRUE(error.ends_with("\nSuggested fixes:\n  dx = 4"));
}

TEST(CheckExportGuards, SuggestAMultiple) {
  const std::string error = export_error(6, [](SymInt size) { guard_bool(mod(size, 2) == 0); });
  EXPECT_TRUE(error.find("satisfy the generated guard (L['x'].size()[0] % 2) == 0.") !=
              std::string::npos);
  EXPECT_TRUE(
      error.ends_with("\nSuggested fixes:\n  _dx = Dim('_dx', min=1, max=oo)\n  dx = 2*_dx"));
}

TEST(CheckExportGuards, AreQuietWhereTheDeclarationHolds) {
  EXPECT_EQ(export_error(6, [](SymInt) {}), "no error");
}

// Lists of a context that are shorter than the input has dimensions are never read past their end.
TEST(SymbolicContexts, AreAsLongAsTheInputHasDimensions) {
  ShapeEnv env;
  const Source source = Source::local("x");
  const int64_t numbers[] = {4, 3};
  const auto raised = [](const auto& body) {
    try {
      body();
    } catch (const Error& error) {
      return std::string(error.class_name()) + ": " + error.message();
    }
    return std::string("nothing");
  };
  for (const auto list :
       {&SymbolicContext::constraint_sizes, &SymbolicContext::constraint_strides}) {
    SymbolicContext context = SymbolicContext::all_duck(2);
    (context.*list).resize(1);
    EXPECT_EQ(raised([&] { create_symbolic_geometry(env, numbers, numbers, 0, source, context); }),
              "IndexError: list index out of range");
    GuardedInput input{.source = source};
    input.sizes = {4, 3};
    input.strides = {3, 1};
    input.context = &context;
    EXPECT_EQ(raised([&] {
                produce_guards(env, {&input, 1});
              }),
              "IndexError: list index out of range");
  }
  SymbolicContext strides = SymbolicContext::all_duck(2);
  strides.dynamic_strides.clear();
  EXPECT_EQ(raised([&] { create_symbolic_geometry(env, numbers, numbers, 0, source, strides); }),
            "IndexError: list index out of range");
}

// Dim.__mul__, torch/export/dynamic_shapes.py.
TEST(ExportDims, AreIncreasingFunctionsOfTheirRoots) {
  for (const int64_t factor : {0, -1}) {
    ShapeEnv env;
    const DimConstraints constraints(env, {});
    const ExportDim derived{.name = "dx", .root = "x", .factor = factor};
    try {
      constraints.suggested_fixes({derived});
      ADD_FAILURE() << "taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kNotImplementedError);
    }
  }
}

}  // namespace
}  // namespace faketensor

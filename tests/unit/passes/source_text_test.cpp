#include "core/passes/source_text.h"

#include <gtest/gtest.h>

namespace faketensor {
namespace {

TEST(SourceText, TheLastLineOfATraceIsItsCode) {
  EXPECT_EQ(code_line("File \"m.py\", line 3, in forward\n    y = x.view(2, -1)\n"),
            "y = x.view(2, -1)");
  EXPECT_EQ(code_line("File \"m.py\", line 3, in forward\n"), "");
  EXPECT_EQ(code_line(""), "");
}

TEST(SourceText, AConstantDtypeKeepsAndATensorsFollows) {
  EXPECT_EQ(said_of_dtype("x = x.to(torch.float32)"), Says::kKeeps);
  EXPECT_EQ(said_of_dtype("x = x.float()"), Says::kKeeps);
  EXPECT_EQ(said_of_dtype("return y.to(dtype=x.dtype)"), Says::kFollows);
  EXPECT_EQ(said_of_dtype("return self.weight * y.to(input_dtype)"), Says::kFollows);
  EXPECT_EQ(said_of_dtype("return y.type_as(x)"), Says::kFollows);
  EXPECT_EQ(said_of_dtype("return (x.float() * y).to(x.dtype)"), Says::kBoth);
  EXPECT_EQ(said_of_dtype("out = attention("), Says::kNothing);
  // Words that only begin so.
  EXPECT_EQ(said_of_dtype("x = torch.float_power(x, 2)"), Says::kNothing);
}

TEST(SourceText, AFactoryWithoutADeviceKeepsToTheCpu) {
  EXPECT_EQ(said_of_device("i = torch.arange(n)", "arange"), Says::kKeeps);
  EXPECT_EQ(said_of_device("i = torch.arange(n, device=x.device)", "arange"), Says::kFollows);
  // The device is another call's.
  EXPECT_EQ(said_of_device("i = torch.arange(n)[None].to(x.device)", "arange"), Says::kKeeps);
  EXPECT_EQ(said_of_device("i = torch.arange(n)[None].to(x.device)", "to"), Says::kFollows);
  // A call that goes on may name one.
  EXPECT_EQ(said_of_device("i = torch.arange(", "arange"), Says::kNothing);
  EXPECT_EQ(said_of_device("mask = make_mask(", "arange"), Says::kNothing);
}

TEST(SourceText, SizesAreReadAsTheyAreWritten) {
  EXPECT_EQ(written_size("h = torch.zeros(1, x.size(0), self.width)", "zeros", 0), "1");
  EXPECT_EQ(written_size("h = torch.zeros(1, x.size(0), self.width)", "zeros", 1), "x.size(0)");
  EXPECT_EQ(written_size("h = torch.zeros((b, 4), device=d)", "zeros", 1), "4");
  EXPECT_EQ(written_size("h = torch.zeros((b, 4), device=d)", "zeros", 2), "");
  EXPECT_EQ(written_size("c = self.token.expand(batch_size, -1, -1)", "expand", 0), "batch_size");
  // torch.tile takes what is repeated first, x.tile does not.
  EXPECT_EQ(written_size("y = torch.tile(x, (n, 1))", "tile", 0), "n");
  EXPECT_EQ(written_size("y = x.tile(n, 1)", "tile", 0), "n");
  EXPECT_EQ(written_size("y = F.interpolate(x, size=(h, 32))", "interpolate", 1), "32");
  EXPECT_EQ(written_size("y = F.interpolate(x, scale_factor=2)", "interpolate", 0), "");
  // x.new_zeros is another function.
  EXPECT_EQ(written_size("y = x.new_zeros(3)", "zeros", 0), "");
}

TEST(SourceText, SlicesAreRead) {
  EXPECT_TRUE(read_slices("x1 = x[..., : x.shape[-1] // 2]", 2).has_half);
  EXPECT_TRUE(read_slices("c = c[..., : c.shape[-1] // 2].repeat(2, dim=-1)", 2).has_half);
  EXPECT_TRUE(read_slices("a = x[:, :x.size(1) // 2]", 2).has_half);
  EXPECT_FALSE(read_slices("y = x[:, : length // 2]", 2).has_half);
  EXPECT_FALSE(read_slices("y = x[:, : x.shape[1] // 20]", 2).has_half);
  EXPECT_FALSE(read_slices("y = x[: x.shape[0]] // 2", 2).has_half);
  EXPECT_TRUE(read_slices("y = x[..., x.shape[-1] // 2 :]", 2).has_half);
  EXPECT_TRUE(read_slices("y = x[..., x.shape[-1] // 2 :]", 2).begins_at_expression);
  EXPECT_TRUE(read_slices("b = bias[:, first:, start:]", 2).begins_at_expression);
  EXPECT_TRUE(read_slices("b = bias[..., -n:]", 2).begins_at_expression);
  EXPECT_FALSE(read_slices("b = bias[:, 1:]", 2).begins_at_expression);
  EXPECT_TRUE(read_slices("b = bias[:, 1:]", 2).is_there);
  EXPECT_TRUE(read_slices("mask[:2, 1:n] = 1.5", 2).ends_at_number);
  EXPECT_FALSE(read_slices("mask[:22, 1:n] = 1.5", 2).ends_at_number);
  EXPECT_FALSE(read_slices("q, k = rotate(q, k, names[0])", 2).is_there);
  EXPECT_FALSE(read_slices("y = f(**{'a': 1})", 2).is_there);
  EXPECT_FALSE(read_slices("", 2).is_there);
}

TEST(SourceText, CastsAreReadInTheirOrder) {
  for (const std::string_view line : {"w = softmax(s.float(), dim=-1).to(v.dtype)",
                                      "w = softmax(s.to(torch.float32), -1).type_as(v)"}) {
    EXPECT_EQ(read_nth_cast(line, 0, 2), Says::kKeeps) << line;
    EXPECT_EQ(read_nth_cast(line, 1, 2), Says::kFollows) << line;
    EXPECT_EQ(read_nth_cast(line, 0, 1), Says::kBoth) << line;
  }
  EXPECT_EQ(read_nth_cast("w = s.to(device)", 0, 1), Says::kBoth);
  EXPECT_EQ(read_nth_cast("w = self.proj.weight.float() @ x.to(dtype)", 0, 2), Says::kKeeps);
  EXPECT_EQ(read_nth_cast("w = self.proj.weight.float() @ x.to(dtype)", 1, 2), Says::kFollows);
}

TEST(SourceText, SizesAreToldApart) {
  using Kind = WrittenSize::Kind;
  EXPECT_EQ(read_size("12").kind, Kind::kNumber);
  EXPECT_EQ(read_size("self.heads").kind, Kind::kAttribute);
  EXPECT_EQ(read_size("batch * 2").kind, Kind::kExpression);
  EXPECT_EQ(read_size("").kind, Kind::kNothing);
  const WrittenSize shape = read_size("input_ids.shape[-1]");
  EXPECT_EQ(shape.kind, Kind::kDimension);
  EXPECT_EQ(shape.value, "input_ids");
  EXPECT_EQ(shape.dim, -1);
  EXPECT_EQ(read_size("x.size(0)").kind, Kind::kDimension);
  EXPECT_EQ(read_size("x.size(0) // 2").kind, Kind::kExpression);
}

TEST(SourceText, ACastNamesItsOperandAndItsResult) {
  const CastLine cast = read_cast("y = x.float()");
  EXPECT_EQ(cast.result, "y");
  EXPECT_EQ(cast.operand, "x");
  EXPECT_EQ(read_cast("return x.float()").operand, "");
  EXPECT_EQ(read_cast("y = f(x).float()").operand, "");
  EXPECT_EQ(read_cast("y = x.float() * 2").operand, "");
  EXPECT_EQ(
      innermost_place("File \"a.py\", line 3, in forward\n    f(\nFile \"b.py\", line 12, in f\n"),
      "File \"b.py\", line 12,");
  EXPECT_TRUE(is_statement("z = f(x.float())"));
  EXPECT_FALSE(is_statement("x.float(),"));
  EXPECT_FALSE(is_statement("z = f(x.float(),"));
  EXPECT_TRUE(mentions("return x + y", "x"));
  EXPECT_FALSE(mentions("return self.x + box", "x"));
}

}  // namespace
}  // namespace faketensor

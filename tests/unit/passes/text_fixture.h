// A program of FX text under passes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/graph/text/read_program_text.h"
#include "core/passes/pass.h"
#include "core/passes/program_values.h"

namespace faketensor {

class TextFixture : public testing::Test {
 protected:
  void read(const std::string& text) {
    program = read_program_text(text, "test.txt", ReadLimits{}).program;
    mode.attach_shape_env(program.shape_env);
    make_values(program, mode);
    subject.emplace(PassSubject{program, mode, &program.graph()});
  }
  Graph& run(std::string_view pass) {
    find_pass(pass)->run(*subject, read_pass_argument(pass));
    return *subject->graph;
  }

  FakeTensorMode mode;
  Program program;
  std::optional<PassSubject> subject;
};

}  // namespace faketensor

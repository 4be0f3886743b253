// What JavaScript names by numbers: programs, runs, modes and sessions, until it closes them.
//
//   const int number = objects().programs.add(std::move(program));
//   objects().programs.at(number);      // Raises UsageError for a number that there is not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/analysis/program_costs.h"
#include "core/graph/graph.h"
#include "core/graph/text/program_text.h"
#include "core/passes/assumptions.h"
#include "core/profiler/run_profile.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "wasm/call_area.h"
#include "wasm/compiled.h"
#include "wasm/mode_profile.h"
#include "wasm/run_view.h"
#include "wasm/session_caller.h"

namespace faketensor::wasm {

template <typename T>
class Handles {
 public:
  explicit Handles(std::string_view what) : what_(what) {}

  int add(std::shared_ptr<T> object) {
    objects_.emplace(++last_, std::move(object));
    return last_;
  }
  const std::shared_ptr<T>& at(int handle) const {
    const auto found = objects_.find(handle);
    if (found == objects_.end())
      throw_error(ErrorKind::kUsage, format("there is no {} {}", what_, handle));
    return found->second;
  }
  void remove(int handle) { objects_.erase(handle); }
  template <typename Test>
  bool any(const Test& test) const {
    for (const auto& [handle, object] : objects_) {
      if (test(*object)) return true;
    }
    return false;
  }

 private:
  std::string_view what_;
  std::unordered_map<int, std::shared_ptr<T>> objects_;
  int last_ = 0;
};

// A run reads its program, which JavaScript may close before the run.
struct OpenRun {
  std::shared_ptr<const Program> program;
  RunView view;
  std::vector<Assumption> assumptions;
  RetargetOptions options;
  std::unique_ptr<const ProgramCosts> costs;  // when they are first asked for
  // The last that was asked for, so that its table and its trace are of one propagation; of that target.
  std::unique_ptr<const RunProfile> profile = {};
  std::string profile_target = {};
};

struct Objects {
  Handles<const Program> programs{"program"};
  std::unordered_map<const Program*, std::shared_ptr<const ProgramText>>
      texts;  // of those that are
  Handles<OpenRun> runs{"run"};
  Handles<Caller> callers{"mode"};  // and sessions
  Handles<ModeProfile> profiles{"profile"};
  Compiler compiler;
  Handles<JsCompiled> compiled{"compiled function"};
  int compiled_calls = 0;        // that run
  std::vector<uint8_t> buffer;   // what the last question for columns was answered with
  std::vector<uint8_t> written;  // the program that was written last (passes.h)
  CallArea area;
};

inline Objects& objects() {
  static Objects instance;
  return instance;
}

}  // namespace faketensor::wasm

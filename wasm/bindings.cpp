// What JavaScript sees: one row per function of session.h. web/package/src/engine.ts holds the
// other side of each.
#include <emscripten/bind.h>

#include "wasm/session.h"

EMSCRIPTEN_BINDINGS(faketensor) {
  using emscripten::function;
  namespace session = faketensor::wasm;
  function("engineInfo", &session::engine_info);
  function("openProgram", &session::open_program);
  function("closeProgram", &session::close_program);
  function("layout", &session::layout);
  function("propagate", &session::propagate);
  function("recordProfiles", &session::record_profiles);
  function("parseProfiles", &session::parse_profiles);
  function("formatProfiles", &session::format_profiles);
  function("closeRun", &session::close_run);
  function("runTable", &session::run_table);
  function("runSymbols", &session::run_symbols);
  function("runValue", &session::run_value);
  function("runNode", &session::run_node);
  function("runGuards", &session::run_guards);
  function("runWhy", &session::run_why);
  function("runWhatIf", &session::run_what_if);
  function("operators", &session::operators);
  function("openMode", &session::open_mode);
  function("modeCall", &session::mode_call);
  function("modeOperator", &session::mode_operator);
  function("modeConstant", &session::mode_constant);
  function("callArea", &session::call_area);
  function("modeCallPacked", &session::mode_call_packed);
  function("modeDefine", &session::mode_define);
  function("modePushFake", &session::mode_push_fake);
  function("modePopFake", &session::mode_pop_fake);
  function("modePushProfiles", &session::mode_push_profiles);
  function("modePopProfiles", &session::mode_pop_profiles);
  function("modeNewSize", &session::mode_new_size);
  function("modeGuards", &session::mode_guards);
  function("modeTensor", &session::mode_tensor);
  function("modeRelease", &session::mode_release);
  function("closeMode", &session::close_mode);
  function("openSession", &session::open_session);
  function("sessionStep", &session::session_step);
  function("closeSession", &session::close_session);
  function("runCommand", &session::run_command);
}

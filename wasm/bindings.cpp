// What JavaScript sees of faketensor.wasm: one row per function. web/package/src/engine.ts holds the
// other side of each.
#include <emscripten/bind.h>

#include "wasm/compiled.h"
#include "wasm/engine.h"
#include "wasm/passes.h"
#include "wasm/queries.h"

EMSCRIPTEN_BINDINGS(faketensor) {
  using emscripten::function;
  namespace wasm = faketensor::wasm;
  function("ask", &wasm::ask);
  function("columns", &wasm::columns);
  function("openProgram", &wasm::open_program);
  function("closeProgram", &wasm::close_program);
  function("propagate", &wasm::propagate);
  function("closeRun", &wasm::close_run);
  function("runPasses", &wasm::run_passes);
  function("callBase", &wasm::call_base);
  function("writeJson", &wasm::write_json_of);
  function("writeArchive", &wasm::write_archive);
  function("callArea", &wasm::call_area);
  function("callPacked", &wasm::call_packed);
  function("pushFake", &wasm::push_fake);
  function("openProfile", &wasm::open_profile);
  function("compile", &wasm::compile_function);
  function("release", &wasm::release);
  function("closeCaller", &wasm::close_caller);
}

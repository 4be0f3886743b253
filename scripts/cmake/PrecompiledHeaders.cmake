# The standard headers that most of our files include are compiled once: a fifth of the time a file takes. WebAssembly's build goes
# without, so that a forgotten include is an error there.

# faketensor_precompile_headers(TARGET OWNER [HEADER...]): TARGET uses what OWNER compiled, with the same options; TARGET may be
# the owner itself, whose headers are the standard ones and those named.
function(faketensor_precompile_headers target owner)
  get_target_property(type ${target} TYPE)
  if(EMSCRIPTEN OR type STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span>
      <sstream> <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector> ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

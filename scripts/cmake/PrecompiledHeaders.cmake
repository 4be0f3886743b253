# Headers that most files of a target include are compiled once for all of them: half the time a file takes, in the native builds and
# in WebAssembly's. tests/layering/check_includes holds that no file leaves out an include because a precompiled header has it.

set(faketensor_standard_headers <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span> <sstream>
    <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector>)
# What a rule of an operator includes.
set(faketensor_call_headers ${faketensor_standard_headers} <core/ops/call.h> <core/support/format.h> <core/tensor/promotion.h>
    <core/tensor/strides.h>)
# What the layers above the mode include.
set(faketensor_graph_headers ${faketensor_call_headers} <core/formats/json_writer.h> <core/graph/plan.h> <core/ops/library.h>
    <core/symbolic/shape_env.h>)
# What the layers that read JSON include.
set(faketensor_json_headers ${faketensor_graph_headers} <core/formats/json_fields.h>)
set(faketensor_test_headers ${faketensor_json_headers} <gtest/gtest.h>)

# faketensor_precompile_headers(TARGET SET): TARGET's files see faketensor_SET_headers precompiled. The first target of a set and of its
# compile options compiles them, the others use what it compiled.
function(faketensor_precompile_headers target set)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  get_target_property(options ${target} COMPILE_OPTIONS)
  set(owner "FAKETENSOR_HEADERS_${set}_${options}")
  get_property(first GLOBAL PROPERTY "${owner}")
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY "${owner}" ${target})
    target_precompile_headers(${target} PRIVATE ${faketensor_${set}_headers})
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # ccache compares what a header holds, not when it was compiled.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  if(EMSCRIPTEN)
    # Single files are compiled for size (core/CMakeLists.txt): clang takes that for another language, which it is not.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-validate-pch")
  endif()
endfunction()

# The libraries we do not write: zlib, nlohmann_json, RapidJSON (its headers only), GoogleTest, Google Benchmark, and yaml-cpp, with which
# the tests read what we write. An installed package is taken when there is one (Debian has all). For wasm nothing is installed:
# scripts/fetch_wasm_dependencies puts Debian's sources and headers under build/deps. What neither has, FetchContent brings: the version
# pinned here by its hash.
include(FetchContent)
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)
endif()

find_program(FAKETENSOR_CCACHE ccache)
if(FAKETENSOR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  file(RELATIVE_PATH relative ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  string(REGEX REPLACE "/$" "" relative "${relative}")
  foreach(language C CXX)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/scripts/cmake/ccache ${PROJECT_SOURCE_DIR} ${relative})
  endforeach()
endif()

set(FAKETENSOR_WASM_DEPENDENCIES ${PROJECT_SOURCE_DIR}/build/deps CACHE PATH "Where scripts/fetch_wasm_dependencies put its results")

# Sources we compile for wasm are not ours: no warnings of theirs, and their headers count as system headers.
function(faketensor_foreign_target target)
  target_compile_options(${target} PRIVATE -w)
  get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(directories)
    set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${directories}")
  endif()
endfunction()

# ZLIB::ZLIB from zlib's sources, less what reads .gz files through stdio: we read from memory.
function(faketensor_zlib_from_sources folder)
  file(GLOB sources ${folder}/*.c)
  list(FILTER sources EXCLUDE REGEX "/gz[a-z]+\\.c$")
  add_library(zlib_from_sources STATIC ${sources})
  target_include_directories(zlib_from_sources PUBLIC ${folder})
  faketensor_foreign_target(zlib_from_sources)
  add_library(ZLIB::ZLIB ALIAS zlib_from_sources)
endfunction()

function(faketensor_json_from_headers include)
  add_library(nlohmann_json_headers INTERFACE)
  target_include_directories(nlohmann_json_headers SYSTEM INTERFACE ${include})
  add_library(nlohmann_json::nlohmann_json ALIAS nlohmann_json_headers)
endfunction()

function(faketensor_googletest_from_sources folder)
  add_library(gtest_from_sources STATIC EXCLUDE_FROM_ALL ${folder}/src/gtest-all.cc ${folder}/src/gtest_main.cc)
  target_include_directories(gtest_from_sources PUBLIC ${folder}/include PRIVATE ${folder})
  if(NOT EMSCRIPTEN)
    find_package(Threads REQUIRED)
    target_link_libraries(gtest_from_sources PUBLIC Threads::Threads)
  endif()
  faketensor_foreign_target(gtest_from_sources)
  add_library(GTest::gtest_main ALIAS gtest_from_sources)
endfunction()

# faketensor_fetch(NAME URL SHA256): sets NAME_SOURCE_DIR. The CMakeLists.txt that came along is not read.
macro(faketensor_fetch name url sha256)
  message(STATUS "${name} is not installed: fetching ${url}")
  FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${sha256} SOURCE_SUBDIR unused)
  FetchContent_MakeAvailable(${name})
endmacro()

# Set when a library that ours stands on was fetched: then there is no installation, it would lack that library.
set(FAKETENSOR_FETCHED FALSE)
set(deps ${FAKETENSOR_WASM_DEPENDENCIES})

if(EMSCRIPTEN AND EXISTS ${deps}/zlib/zlib.h)
  faketensor_zlib_from_sources(${deps}/zlib)
elseif(NOT EMSCRIPTEN)
  find_package(ZLIB QUIET)
endif()
if(NOT TARGET ZLIB::ZLIB)
  faketensor_fetch(zlib https://github.com/madler/zlib/releases/download/v1.3.1/zlib-1.3.1.tar.gz
    9a93b2b7dfdac77ceba5a558a580e74667dd6fede4585b91eefb60f03b72df23)
  faketensor_zlib_from_sources(${zlib_SOURCE_DIR})
  set(FAKETENSOR_FETCHED TRUE)
endif()

if(EMSCRIPTEN AND EXISTS ${deps}/include/nlohmann/json.hpp)
  faketensor_json_from_headers(${deps}/include)
elseif(NOT EMSCRIPTEN)
  find_package(nlohmann_json 3.11 QUIET)
endif()
if(NOT TARGET nlohmann_json::nlohmann_json)
  faketensor_fetch(nlohmann_json https://github.com/nlohmann/json/releases/download/v3.11.2/json.tar.xz
    8c4b26bf4b422252e13f332bc5e388ec0ab5c3443d24399acb675e68278d341f)
  faketensor_json_from_headers(${nlohmann_json_SOURCE_DIR}/include)
  set(FAKETENSOR_FETCHED TRUE)
endif()

# Used inside core/formats only, so a folder is enough and no user of the library needs it.
if(EMSCRIPTEN AND EXISTS ${deps}/include/rapidjson/reader.h)
  set(FAKETENSOR_RAPIDJSON_INCLUDE ${deps}/include)
elseif(NOT EMSCRIPTEN)
  find_path(FAKETENSOR_RAPIDJSON_INCLUDE rapidjson/reader.h)
endif()
if(NOT FAKETENSOR_RAPIDJSON_INCLUDE)
  faketensor_fetch(rapidjson https://github.com/Tencent/rapidjson/archive/refs/tags/v1.1.0.tar.gz
    bf7ced29704a1e696fbccf2a2b4ea068e7774fa37f6d7dd4039d0787f8bed98e)
  set(FAKETENSOR_RAPIDJSON_INCLUDE ${rapidjson_SOURCE_DIR}/include)
endif()

if(FAKETENSOR_TESTS)
  if(EMSCRIPTEN AND EXISTS ${deps}/googletest/src/gtest-all.cc)
    faketensor_googletest_from_sources(${deps}/googletest)
  elseif(NOT EMSCRIPTEN)
    find_package(GTest QUIET)
  endif()
  if(NOT TARGET GTest::gtest_main)
    faketensor_fetch(googletest https://github.com/google/googletest/archive/refs/tags/release-1.12.1.tar.gz
      81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2)
    faketensor_googletest_from_sources(${googletest_SOURCE_DIR}/googletest)
  endif()
  if(NOT EMSCRIPTEN)
    find_package(yaml-cpp QUIET)
    if(NOT yaml-cpp_FOUND)
      message(STATUS "yaml-cpp is not installed: that it reads our profiles is not tested")
    endif()
  endif()
  if(FAKETENSOR_BENCHMARKS)
    find_package(benchmark QUIET)
    if(NOT benchmark_FOUND)
      message(STATUS "Google Benchmark is not installed: bench_faketensor is not built")
    endif()
  endif()
endif()

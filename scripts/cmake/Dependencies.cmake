# The libraries we do not write: zlib, nlohmann_json, RapidJSON (its headers only), GoogleTest, Google Benchmark. An installed package is taken when there is one
# (Debian has all); otherwise FetchContent brings the version pinned here by its hash. For wasm nothing is installed, so
# scripts/fetch_wasm_dependencies has put sources and headers under build/deps first.
include(FetchContent)
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)
endif()

find_program(FAKETENSOR_CCACHE ccache)
if(FAKETENSOR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${FAKETENSOR_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FAKETENSOR_CCACHE})
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

if(EMSCRIPTEN)
  if(NOT EXISTS ${FAKETENSOR_WASM_DEPENDENCIES}/zlib/zlib.h)
    message(FATAL_ERROR "The wasm preset needs the output of scripts/fetch_wasm_dependencies: run it first.")
  endif()
  faketensor_zlib_from_sources(${FAKETENSOR_WASM_DEPENDENCIES}/zlib)

  set(FAKETENSOR_RAPIDJSON_INCLUDE ${FAKETENSOR_WASM_DEPENDENCIES}/include)
  add_library(nlohmann_json_wasm INTERFACE)
  target_include_directories(nlohmann_json_wasm SYSTEM INTERFACE ${FAKETENSOR_WASM_DEPENDENCIES}/include)
  add_library(nlohmann_json::nlohmann_json ALIAS nlohmann_json_wasm)

  if(FAKETENSOR_TESTS)
    set(googletest ${FAKETENSOR_WASM_DEPENDENCIES}/googletest)
    add_library(gtest_wasm STATIC EXCLUDE_FROM_ALL ${googletest}/src/gtest-all.cc ${googletest}/src/gtest_main.cc)
    target_include_directories(gtest_wasm PUBLIC ${googletest}/include PRIVATE ${googletest})
    faketensor_foreign_target(gtest_wasm)
    add_library(GTest::gtest_main ALIAS gtest_wasm)
  endif()
  return()
endif()

# Set when a library that ours stands on was fetched: then there is no installation, it would lack that library.
set(FAKETENSOR_FETCHED FALSE)

find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  FetchContent_Declare(zlib
    URL https://github.com/madler/zlib/releases/download/v1.3.1/zlib-1.3.1.tar.gz
    URL_HASH SHA256=9a93b2b7dfdac77ceba5a558a580e74667dd6fede4585b91eefb60f03b72df23)
  FetchContent_GetProperties(zlib)
  if(NOT zlib_POPULATED)
    FetchContent_Populate(zlib)
  endif()
  faketensor_zlib_from_sources(${zlib_SOURCE_DIR})
  set(FAKETENSOR_FETCHED TRUE)
endif()

find_package(nlohmann_json 3.11 QUIET)
if(NOT nlohmann_json_FOUND)
  set(JSON_Install OFF)
  FetchContent_Declare(nlohmann_json
    URL https://github.com/nlohmann/json/releases/download/v3.11.2/json.tar.xz
    URL_HASH SHA256=8c4b26bf4b422252e13f332bc5e388ec0ab5c3443d24399acb675e68278d341f)
  FetchContent_MakeAvailable(nlohmann_json)
  set(FAKETENSOR_FETCHED TRUE)
endif()

# Used inside core/io only, so a folder is enough and no user of the library needs it.
find_path(FAKETENSOR_RAPIDJSON_INCLUDE rapidjson/reader.h)
if(NOT FAKETENSOR_RAPIDJSON_INCLUDE)
  FetchContent_Declare(rapidjson
    URL https://github.com/Tencent/rapidjson/archive/refs/tags/v1.1.0.tar.gz
    URL_HASH SHA256=bf7ced29704a1e696fbccf2a2b4ea068e7774fa37f6d7dd4039d0787f8bed98e
    SOURCE_SUBDIR headers_only)  # its own CMakeLists is not wanted
  FetchContent_MakeAvailable(rapidjson)
  set(FAKETENSOR_RAPIDJSON_INCLUDE ${rapidjson_SOURCE_DIR}/include)
endif()

if(FAKETENSOR_TESTS)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    set(INSTALL_GTEST OFF)
    FetchContent_Declare(googletest
      URL https://github.com/google/googletest/archive/refs/tags/release-1.12.1.tar.gz
      URL_HASH SHA256=81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2)
    FetchContent_MakeAvailable(googletest)
  endif()
endif()

if(FAKETENSOR_BENCHMARKS)
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    message(STATUS "Google Benchmark is not installed: bench_faketensor is not built")
  endif()
endif()

# Finds the installed Emscripten (Debian's package or an emsdk on the path) and hands over to its own toolchain file.
find_program(EM_CONFIG em-config REQUIRED)
execute_process(COMMAND ${EM_CONFIG} EMSCRIPTEN_ROOT OUTPUT_VARIABLE EMSCRIPTEN_ROOT
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# Node 18 and later have fetch(), which Emscripten 3.1.6 takes for a browser's and hands a file name: without it the tests start.
find_program(FAKETENSOR_NODE NAMES node nodejs REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR "${FAKETENSOR_NODE};--no-experimental-fetch")

# Debian keeps the JavaScript modules that em++ needs for linking (acorn) where Node does not look by itself.
set(CMAKE_CXX_LINKER_LAUNCHER ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs)
set(CMAKE_C_LINKER_LAUNCHER ${CMAKE_CXX_LINKER_LAUNCHER})

include(${EMSCRIPTEN_ROOT}/cmake/Modules/Platform/Emscripten.cmake)

# em++ is a program in Python that starts clang: a fifth of a second for each file. It says with what arguments, and links.
execute_process(COMMAND ${EM_CONFIG} LLVM_ROOT OUTPUT_VARIABLE LLVM_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
foreach(language C CXX)
  separate_arguments(given UNIX_COMMAND "${CMAKE_${language}_FLAGS}")
  execute_process(COMMAND ${CMAKE_${language}_COMPILER} --cflags ${given}
                  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(clang_C clang)
  set(clang_CXX clang++)
  set(CMAKE_${language}_COMPILE_OBJECT
    "${LLVM_ROOT}/${clang_${language}} ${flags} <DEFINES> <INCLUDES> <FLAGS> -o <OBJECT> -c <SOURCE>")
endforeach()

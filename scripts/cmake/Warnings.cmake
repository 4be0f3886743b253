# faketensor_warnings: what our own targets are compiled with. Warnings are errors only when faketensor itself is what is built, so
# that a newer compiler cannot break those who use it.
add_library(faketensor_warnings INTERFACE)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(faketensor_warnings INTERFACE
    -Werror -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wcast-qual
    -Wimplicit-fallthrough -Wextra-semi -Wundef -Wunused-const-variable)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(faketensor_warnings INTERFACE -Wduplicated-cond -Wlogical-op
      # g++ 12 sees dangling and overlapping accesses inside its own <string> and <vector> (GCC bugs 105329, 105651, 105562).
      -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
endif()

# Several files compiled as one: headers, and what becomes of templates, are a third of the compiler's work then. Our own and not CMake's
# UNITY_BUILD, whose files name their sources by where the folder lies: ccache compiles all of them again in each clone.

# faketensor_compile_together(TARGET COUNT): each COUNT .cpp files of TARGET are compiled as one, COUNT 0 leaves each alone. A file with
# options of its own, given to it before this call, is compiled alone.
function(faketensor_compile_together target count)
  if(NOT count)
    return()
  endif()
  set(alone)
  set(together)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    if(options OR definitions OR NOT source MATCHES "\\.cpp$")
      list(APPEND alone ${source})
    else()
      cmake_path(ABSOLUTE_PATH source NORMALIZE)
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      list(APPEND together ${source})
    endif()
  endforeach()

  set(units)
  while(together)
    list(LENGTH units number)
    list(SUBLIST together 0 ${count} included)
    list(REMOVE_ITEM together ${included})
    list(TRANSFORM included REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE content)
    string(JOIN "" content ${content})
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/together/${target}_${number}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${content}" @ONLY)
    list(PREPEND units ${unit})  # linked in this order, WebAssembly is 0.1 % smaller
  endwhile()
  set_target_properties(${target} PROPERTIES SOURCES "${units};${alone}")
endfunction()

# Run by the installation: copies the shared libraries that `module` needs and a base system lacks beside it.
file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${module}
  RESOLVED_DEPENDENCIES_VAR libraries UNRESOLVED_DEPENDENCIES_VAR unresolved
  # The libraries that every wheel may expect of a Linux system, and Python itself.
  PRE_EXCLUDE_REGEXES "^lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc\\+\\+|z)\\.so" "^ld-linux" "^libpython")
if(unresolved)
  message(FATAL_ERROR "not found: ${unresolved}")
endif()
file(MAKE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/jsdiv/lib)
foreach(library ${libraries})
  # Under the name that is asked for alone: a wheel holds no links, and would hold each of them as a copy.
  cmake_path(GET library FILENAME name)
  file(REAL_PATH ${library} content)
  file(COPY_FILE ${content} ${CMAKE_INSTALL_PREFIX}/jsdiv/lib/${name})
endforeach()

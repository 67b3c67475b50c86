# Run by cpack before it packs: adds to each package what Debian wants in it.
set(from "${CMAKE_CURRENT_LIST_DIR}/debian")
file(READ "${from}/copyright" copyright)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" upper)
  set(package "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
  set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}")
  set(doc "${root}/usr/share/doc/${package}")
  file(WRITE "${doc}/copyright" "${copyright}")
  file(WRITE "${doc}/changelog.Debian"
       "convene (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
       "  * Version ${CPACK_PACKAGE_VERSION}: see CHANGELOG.md in convene-doc.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  if(EXISTS "${from}/${package}.overrides")
    configure_file("${from}/${package}.overrides"
                   "${root}/usr/share/lintian/overrides/${package}" COPYONLY)
  endif()
  file(GLOB_RECURSE pages "${root}/usr/share/man/*.1")
  execute_process(COMMAND gzip -9nf "${doc}/changelog.Debian" ${pages}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()

configure_file("${from}/convene.service"
               "${CPACK_TEMPORARY_DIRECTORY}/program/lib/systemd/system/convene.service"
               COPYONLY)

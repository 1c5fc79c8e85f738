# headroom_embed_text(FOLDER FILE SYMBOL)
#
# Compiles the text of src/FOLDER/FILE into headroom_FOLDER as `std::string_view SYMBOL()` of
# namespace headroom::FOLDER; a header of the folder declares it. The text must not hold )EMBEDDED".
function(headroom_embed_text folder file symbol)
  set(path ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} HEADROOM_TEXT)
  set(HEADROOM_FOLDER ${folder})
  set(HEADROOM_SYMBOL ${symbol})
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${folder}/${symbol}.cc)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/embedded_text.cc.in ${generated} @ONLY)
  target_sources(headroom_${folder} PRIVATE ${generated})
endfunction()

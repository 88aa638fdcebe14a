# SPDX-License-Identifier: MIT
# Turn text files into a C file: cmake -DOUT=x.c -DFILES="a.yaml;b.yaml" -P embed.cmake
set(body "// made from the scenes by cmake/embed.cmake\n#include \"scenes_data.h\"\n\nconst SceneText scene_texts[] = {\n")
foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
    string(APPEND body "    {\"${name}\",\n     \"${text}\"},\n")
endforeach()
string(APPEND body "    {0, 0},\n};\n")
file(WRITE ${OUT} "${body}")

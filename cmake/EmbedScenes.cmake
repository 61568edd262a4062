# cmake -DOUTPUT=file.cpp -DFOLDER=scenes -DSCENES=a.json;b/c.json -P EmbedScenes.cmake
# Writes a source file that holds the texts of scene files, for built_in_scenes.hpp.
set(entries "")
foreach(scene ${SCENES})
  file(READ ${FOLDER}/${scene} text)
  string(REGEX REPLACE "[.]json$" "" name ${scene})
  # A compiler takes string literals up to 64 kB for sure, so a text is cut into pieces that it joins.
  string(LENGTH "${text}" length)
  set(pieces "")
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 8000 piece)
    string(APPEND pieces "\nR\"scene(${piece})scene\"")
    math(EXPR begin "${begin} + 8000")
  endwhile()
  # Of a literal with a suffix the length is known; counting all letters is too much for the compile time of clang++.
  string(APPEND entries "    {\"${name}\",${pieces}sv},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"built_in_scenes.hpp\"

namespace visviva::app {

namespace {
using namespace std::literals;
constexpr BuiltInScene kScenes[] = {
${entries}};
}  // namespace

std::span<const BuiltInScene> built_in_scenes() { return kScenes; }

const BuiltInScene* find_built_in_scene(std::string_view name) {
  for (const BuiltInScene& scene : kScenes)
    if (scene.name == name) return &scene;
  return nullptr;
}

}  // namespace visviva::app
")

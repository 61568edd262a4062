# cmake -DOUTPUT=file.cpp [-DPAGE=report_template.html] -P EmbedPage.cmake
# Writes a source file that holds the bytes of the page, for report_page.hpp; without PAGE an empty one.
set(bytes "")
if(PAGE)
  file(READ ${PAGE} bytes HEX)
  string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
endif()
file(WRITE ${OUTPUT} "#include \"report_page.hpp\"

namespace visviva::app {

namespace {
// Ends with a byte that does not count: an array must not be empty.
constexpr unsigned char kPage[] = {
${bytes}0};
}  // namespace

std::string_view report_page() { return {reinterpret_cast<const char*>(kPage), sizeof kPage - 1}; }

}  // namespace visviva::app
")

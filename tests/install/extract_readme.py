#!/usr/bin/env python3
"""Makes a project of README's CMake block and C++ example: extract_readme.py README FOLDER.

The CMake block is the first ```cmake block with find_package(visviva; the example is the first ```cpp block with a
main function. It gets the name that the block's add_executable gives it.
"""
import re
import sys
from pathlib import Path


def block(text, language, needle):
    for found in re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        if re.search(needle, found):
            return found
    sys.exit(f"README has no ```{language} block with {needle}")


def main():
    text, folder = Path(sys.argv[1]).read_text(encoding="utf-8"), Path(sys.argv[2])
    cmake = block(text, "cmake", r"find_package\(visviva")
    example = block(text, "cpp", r"int main\(")
    source = re.search(r"add_executable\(\s*\S+\s+(\S+\.cpp)\s*\)", cmake)
    if not source:
        sys.exit("README's CMake block has no add_executable(name file.cpp)")
    if "project(" not in cmake:
        cmake = "project(readme CXX)\n" + cmake
    if "cmake_minimum_required(" not in cmake:
        cmake = "cmake_minimum_required(VERSION 3.25)\n" + cmake
    target = folder / source[1]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(example, encoding="utf-8")
    (folder / "CMakeLists.txt").write_text(cmake, encoding="utf-8")


if __name__ == "__main__":
    main()

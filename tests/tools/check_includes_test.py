"""tools/check_includes.py finds what it is there to find, in trees made for it."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import check_includes


def faults_of(files):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check_includes.Checker(root).run()


def header(*includes):
    return "#pragma once\n" + "".join(f"#include {i}\n" for i in includes)


class CheckIncludes(unittest.TestCase):
    def expect(self, files, *needles):
        faults = faults_of(files)
        self.assertEqual(len(faults), len(needles), faults)
        for fault, needle in zip(faults, needles):
            self.assertIn(needle, fault)

    def test_arrows_of_the_table_may_be_followed(self):
        self.expect({
            "include/visviva/core/error.hpp": header("<string>", "<fmt/format.h>"),
            "include/visviva/math/types.hpp": header("<Eigen/Core>", '"visviva/core/error.hpp"'),
            "include/visviva/impact/solve.hpp": header('"visviva/math/types.hpp"', '"visviva/core/error.hpp"'),
            "src/impact/series.hpp": header('"visviva/impact/solve.hpp"'),
            "src/impact/solve.cpp": '#include "visviva/impact/solve.hpp"\n#include "impact/series.hpp"\n',
            "app/main.cpp": '#include "visviva/impact/solve.hpp"\n#include <CLI/CLI.hpp>\n',
        })

    def test_upwards_is_refused(self):
        self.expect({"include/visviva/math/types.hpp": header('"visviva/impact/solve.hpp"')},
                    "include/visviva/math/types.hpp:2: math may not include impact")

    def test_sideways_is_refused(self):
        self.expect({"src/dynamics/step.cpp": '#include "visviva/variational/step.hpp"\n'},
                    "dynamics may not include variational")
        self.expect({"src/impact/solve.cpp": '#include "visviva/geometry/shape.hpp"\n'},
                    "impact may not include geometry")
        self.expect({"src/io/load.cpp": '#include "visviva/dynamics/world.hpp"\n'}, "io may not include dynamics")

    def test_library_may_not_include_its_benchmarks(self):
        self.expect({"bench/impact/odeint.hpp": header('"visviva/impact/solve.hpp"'),
                     "app/bench.cpp": '#include "bench/impact/odeint.hpp"\n',
                     "src/impact/solve.cpp": '#include "bench/impact/odeint.hpp"\n'}, "impact may not include bench")

    def test_private_header_of_another_room_counts_too(self):
        self.expect({"src/geometry/hull.hpp": header(), "src/impact/solve.cpp": '#include "geometry/hull.hpp"\n'},
                    "impact may not include geometry")
        self.expect({"src/geometry/hull.hpp": header(), "src/impact/solve.cpp": '#include "../geometry/hull.hpp"\n'},
                    "impact may not include geometry")

    def test_public_header_may_not_include_a_private_one(self):
        self.expect({"src/core/queue.hpp": header(), "include/visviva/core/pool.hpp": header('"core/queue.hpp"')},
                    "a public header includes a private one")

    def test_public_header_brings_no_other_library(self):
        self.expect({"include/visviva/core/log.hpp": header("<spdlog/spdlog.h>")}, "Eigen and fmt only")
        self.expect({"include/visviva/core/progress.hpp": header("<unistd.h>")}, "Eigen and fmt only")

    def test_library_stays_in_its_room(self):
        self.expect({"src/core/log.cpp": "#include <spdlog/logger.h>\n"})
        self.expect({"src/impact/solve.cpp": "#include <spdlog/logger.h>\n"}, "impact may not include spdlog")
        self.expect({"src/impact/solve.cpp": "#include <nlohmann/json.hpp>\n"}, "impact may not include nlohmann")

    def test_own_header_comes_first(self):
        self.expect({"include/visviva/core/log.hpp": header(),
                     "src/core/log.cpp": '#include <string>\n#include "visviva/core/log.hpp"\n'},
                    "src/core/log.cpp:1: own header must be included first")

    def test_header_needs_its_guard(self):
        self.expect({"src/core/log.hpp": "int x;\n"}, "without #pragma once")

    def test_unknown_room_is_refused(self):
        self.expect({"src/utils/misc.hpp": header()}, "room 'utils' is not in the table")

    def test_table_has_no_circle(self):
        for room, below in check_includes.ROOMS.items():
            for other in below:
                self.assertNotIn(room, check_includes.allowed_rooms(other))


if __name__ == "__main__":
    unittest.main()

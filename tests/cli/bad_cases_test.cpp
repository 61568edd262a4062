// What a user can get wrong in a case file, and what the program says to it.
#include <gtest/gtest.h>

#include "run_program.hpp"

namespace visviva {
namespace {

struct BadFile {
  const char* name;
  std::string text;
  const char* place;   ///< as printed after the file's name
  const char* phrase;  ///< part of the message
};

std::ostream& operator<<(std::ostream& out, const BadFile& bad) { return out << bad.name; }

/// A file with one case that has these keys.
std::string with_case(const std::string& keys) { return R"({"cases": [{)" + keys + "}]}"; }
const std::string kW = R"("W": [[3.5, 0, 0], [0, 3.5, 0], [0, 0, 1]])";
const std::string kRest = R"("v": [1, 0, -1], "mu": 0.3, "e": 0.5)";
const std::string kFloor = R"({"infinite": true})";

std::string with_bodies(const std::string& B, const std::string& rest = R"("contact": [0,0,0], "normal": [0,0,1])") {
  return with_case(R"("bodies": [)" + kFloor + ", " + B + "], " + rest + R"(, "mu": 0.3, "e": 0.5)");
}
std::string with_body(const std::string& keys) {
  return with_bodies(R"({"mass": 1, "inertia": [0.4, 0.4, 0.4], "com": [0,0,1], "velocity": [0,0,-1])" + keys + "}");
}

const BadFile kBadFiles[] = {
    {"empty", "", "line 1, column 1", "unexpected end of input"},
    {"not_json", "W = 3", "line 1, column 1", "not JSON"},
    {"comment", "{// no\n}", "line 1, column 2", "not JSON"},
    {"trailing_comma", R"({"cases": [],})", "line 1, column 14", "not JSON"},
    {"second_document", "{} {}", "line 1, column 4", "not JSON"},
    {"no_utf8", "{\"cases\": \"\xff\"}", "line 1, column 12", "UTF-8"},
    {"nan", with_case(kW + R"(, "v": [NaN, 0, -1], "mu": 0.3, "e": 0.5)"), "line 1, column 63", "not JSON"},
    {"infinity", with_case(kW + R"(, "v": [1e999, 0, -1], "mu": 0.3, "e": 0.5)"), "/cases/0/v/0", "1e999 is beyond"},
    {"too_deep", std::string(100000, '['), "/0/0/0", "nested deeper than 32 levels"},
    {"array", "[1, 2]", "/", "an object with the key 'cases', got an array of 2"},
    {"number", "17", "/", "an object with the key 'cases', got 17"},
    {"null", "null", "/", "an object with the key 'cases', got null"},
    {"no_cases", "{}", "/", "needs the key 'cases'"},
    {"cases_misspelt", R"({"case": []})", "/case", "did you mean 'cases'?"},
    {"cases_empty", R"({"cases": []})", "/cases", "at least one case, got an array of 0"},
    {"cases_object", R"({"cases": {}})", "/cases", "at least one case, got an object"},
    {"case_number", R"({"cases": [3]})", "/cases/0", "a case must be an object, got 3"},
    {"key_twice", with_case(kW + ", " + kRest + R"(, "mu": 0.4)"), "/cases/0/mu", "stands twice"},
    {"case_twice", R"({"cases": [{}], "cases": [{}]})", "/cases", "stands twice"},
    {"unknown_key", with_case(kW + ", " + kRest + R"(, "laww": "newton")"), "/cases/0/laww", "did you mean 'law'?"},
    {"unknown_far", with_case(kW + ", " + kRest + R"(, "friction": 1)"), "/cases/0/friction", "its keys are name, W"},
    {"pointer_escape", with_case(kW + ", " + kRest + R"(, "a/b~c": 1)"), "/cases/0/a~1b~0c", "no key 'a/b~c'"},
    {"empty_case", with_case(""), "/cases/0", "W and v, or bodies, contact and normal"},
    {"no_v", with_case(kW + R"(, "mu": 0.3, "e": 0.5)"), "/cases/0", "needs the key 'v'"},
    {"no_W", with_case(kRest), "/cases/0", "needs the key 'W'"},
    {"no_mu", with_case(kW + R"(, "v": [1, 0, -1], "e": 0.5)"), "/cases/0", "needs the key 'mu'"},
    {"no_e", with_case(kW + R"(, "v": [1, 0, -1], "mu": 0.5)"), "/cases/0", "needs the key 'e'"},
    {"mu_negative", with_case(kW + R"(, "v": [1, 0, -1], "mu": -0.5, "e": 0.5)"), "/cases/0/mu",
     "at least 0, got -0.5"},
    {"mu_string", with_case(kW + R"(, "v": [1, 0, -1], "mu": "0.5", "e": 0.5)"), "/cases/0/mu",
     "a number, got the string \"0.5\""},
    {"e_above_one", with_case(kW + R"(, "v": [1, 0, -1], "mu": 0.5, "e": 1.01)"), "/cases/0/e",
     "lie in [0, 1], got 1.01"},
    {"e_null", with_case(kW + R"(, "v": [1, 0, -1], "mu": 0.5, "e": null)"), "/cases/0/e", "a number, got null"},
    {"v_short", with_case(kW + R"(, "v": [1, -1], "mu": 0.5, "e": 0.5)"), "/cases/0/v",
     "an array of 3 numbers, got an array of 2"},
    {"v_entry", with_case(kW + R"(, "v": [1, true, -1], "mu": 0.5, "e": 0.5)"), "/cases/0/v/1", "a number, got true"},
    {"W_rows", with_case(R"("W": [[1,0,0],[0,1,0]], )" + kRest), "/cases/0/W", "3 rows of 3 numbers"},
    {"W_row_short", with_case(R"("W": [[1,0,0],[0,1],[0,0,1]], )" + kRest), "/cases/0/W/1", "an array of 3 numbers"},
    {"W_entry", with_case(R"("W": [[1,0,0],[0,1,"x"],[0,0,1]], )" + kRest), "/cases/0/W/1/2", "a number"},
    {"W_asymmetric", with_case(R"("W": [[1,0.5,0],[0,1,0],[0,0,1]], )" + kRest), "/cases/0/W", "symmetric"},
    {"W_indefinite", with_case(R"("W": [[1,0,2],[0,1,0],[2,0,1]], )" + kRest), "/cases/0/W", "semidefinite"},
    {"W_negative", with_case(R"("W": [[-1,0,0],[0,-1,0],[0,0,-1]], )" + kRest), "/cases/0/W", "semidefinite"},
    {"law", with_case(kW + ", " + kRest + R"(, "law": "strong")"), "/cases/0/law", "did you mean 'stronge'?"},
    {"law_number", with_case(kW + ", " + kRest + R"(, "law": 3)"), "/cases/0/law", "a string, got 3"},
    {"method", with_case(kW + ", " + kRest + R"(, "method": "rk4")"), "/cases/0/method",
     "one of exact, adaptive, fixed, integration"},
    {"h1", with_case(kW + ", " + kRest + R"(, "h1": 0)"), "/cases/0/h1", "be positive, got 0"},
    {"epsilon", with_case(kW + ", " + kRest + R"(, "epsilon": 1)"), "/cases/0/epsilon", "lie in (0, 1), got 1"},
    {"step", with_case(kW + ", " + kRest + R"(, "step": -1e-3)"), "/cases/0/step", "be positive"},
    {"iterations", with_case(kW + ", " + kRest + R"(, "max_iterations": 2.5)"), "/cases/0/max_iterations",
     "a whole number from 1"},
    {"iterations_zero", with_case(kW + ", " + kRest + R"(, "max_iterations": 0)"), "/cases/0/max_iterations",
     "a whole number from 1"},
    {"iterations_huge", with_case(kW + ", " + kRest + R"(, "max_iterations": 99999999999)"), "/cases/0/max_iterations",
     "a whole number from 1"},
    {"delta_l", with_case(kW + ", " + kRest + R"(, "delta_l": 1.6)"), "/cases/0/delta_l", "lie in [0, 1.5], got 1.6"},
    {"delta_s", with_case(kW + ", " + kRest + R"(, "delta_s_rel": 1.1)"), "/cases/0/delta_s_rel", "lie in [0, 1]"},
    {"name_number", with_case(kW + ", " + kRest + R"(, "name": 3)"), "/cases/0/name", "a string, got 3"},
    {"both", with_case(kW + ", " + kRest + R"(, "bodies": [{"infinite": true}, {"infinite": true}],
      "contact": [0,0,0], "normal": [0,0,1])"),
     "/cases/0/W", "stands beside bodies"},
    {"one_body", with_case(R"("bodies": [{"infinite": true}], "contact": [0,0,0], "normal": [0,0,1], "mu": 0, "e": 0)"),
     "/cases/0/bodies", "2 bodies, A and B, got an array of 1"},
    {"no_contact", with_bodies(kFloor, R"("normal": [0,0,1])"), "/cases/0", "needs the key 'contact'"},
    {"no_normal", with_bodies(kFloor, R"("contact": [0,0,1])"), "/cases/0", "needs the key 'normal'"},
    {"normal_zero", with_bodies(kFloor, R"("contact": [0,0,1], "normal": [0,0,0])"), "/cases/0/normal",
     "unit vector within 1e-06, got length 0"},
    {"normal_long", with_bodies(kFloor, R"("contact": [0,0,1], "normal": [0,0,1.00001])"), "/cases/0/normal",
     "unit vector"},
    {"body_string", with_bodies(R"("earth")"), "/cases/0/bodies/1", "a body must be an object"},
    {"body_empty", with_bodies("{}"), "/cases/0/bodies/1", "'mass', or \"infinite\": true"},
    {"body_key", with_body(R"(, "inerta": 3)"), "/cases/0/bodies/1/inerta", "did you mean 'inertia'?"},
    {"no_inertia", with_bodies(R"({"mass": 1})"), "/cases/0/bodies/1", "needs the key 'inertia'"},
    {"finite_no_mass", with_bodies(R"({"infinite": false, "inertia": [1,1,1]})"), "/cases/0/bodies/1",
     "needs the key 'mass'"},
    {"mass_zero", with_bodies(R"({"mass": 0, "inertia": [1,1,1]})"), "/cases/0/bodies/1/mass", "be positive, got 0"},
    {"mass_negative", with_bodies(R"({"mass": -2, "inertia": [1,1,1]})"), "/cases/0/bodies/1/mass", "be positive"},
    {"inertia_triangle", with_bodies(R"({"mass": 1, "inertia": [1, 1, 2.1]})"), "/cases/0/bodies/1/inertia",
     "triangle inequality"},
    {"inertia_matrix_triangle", with_bodies(R"({"mass": 1, "inertia": [[1,0,0],[0,3,0],[0,0,1]]})"),
     "/cases/0/bodies/1/inertia", "triangle inequality"},
    {"inertia_zero", with_bodies(R"({"mass": 1, "inertia": [0, 1, 1]})"), "/cases/0/bodies/1/inertia",
     "positive definite"},
    {"inertia_asymmetric", with_bodies(R"({"mass": 1, "inertia": [[1,0.1,0],[0,1,0],[0,0,1]]})"),
     "/cases/0/bodies/1/inertia", "symmetric"},
    {"inertia_number", with_bodies(R"({"mass": 1, "inertia": 0.4})"), "/cases/0/bodies/1/inertia", "3 rows"},
    {"infinite_and_mass", with_bodies(R"({"infinite": true, "mass": 1})"), "/cases/0/bodies/1/mass",
     "an infinite body has no mass"},
    {"infinite_number", with_bodies(R"({"infinite": 1})"), "/cases/0/bodies/1/infinite", "true or false, got 1"},
    {"rotation_long", with_body(R"(, "rotation": [1, 0.01, 0, 0])"), "/cases/0/bodies/1/rotation",
     "unit quaternion (w, x, y, z)"},
    {"rotation_zero", with_body(R"(, "rotation": [0, 0, 0, 0])"), "/cases/0/bodies/1/rotation", "got norm 0"},
    {"rotation_short", with_body(R"(, "rotation": [1, 0, 0])"), "/cases/0/bodies/1/rotation",
     "an array of 4 numbers, got an array of 3"},
    {"two_rates", with_body(R"(, "angular_velocity": [0,0,1], "angular_velocity_body": [0,0,1])"),
     "/cases/0/bodies/1/angular_velocity_body", "give one of the two"},
    {"answer_overflows", with_case(kW + R"(, "v": [1, 0, -1e200], "mu": 1e200, "e": 0.5)"), "/cases/0",
     "the answer is beyond the range"},
    {"overflow", with_bodies(R"({"mass": 1e-320, "inertia": [1,1,1]})"), "/cases/0/bodies", "finite"},
};

class BadCaseFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadCaseFile, IsRefusedWithItsPlaceAndNothingIsWritten) {
  const BadFile& bad = GetParam();
  const std::string file = write_scratch_file("bad.json", bad.text);
  const std::string plot = (scratch_directory() / "bad.svg").string();
  const ProgramRun run = run_program({"impact", file, "--json", "--plot", plot});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find(file + ": " + bad.place), std::string::npos) << run.err;
  EXPECT_NE(run.err.find(bad.phrase), std::string::npos) << run.err;
  EXPECT_FALSE(std::filesystem::exists(plot));
  EXPECT_FALSE(std::filesystem::exists(plot + ".partial"));
}

INSTANTIATE_TEST_SUITE_P(All, BadCaseFile, testing::ValuesIn(kBadFiles),
                         [](const auto& instance) { return instance.param.name; });

TEST(BadCaseFiles, TellAllFaultsAtOnceOneALine) {
  const ProgramRun run = run_program({"impact", "-"}, R"({"cases": [
    {"W": [[1,0,0],[0,1,0],[0,0,true]], "v": [0,0], "mu": -1, "e": 2, "lw": "newton"},
    {"W": [[1,0,0],[0,1,0],[0,0,1]], "v": [0,0,-1], "mu": 0, "e": 1},
    {"bodies": [{"mass": 0, "inertia": [1,1,9]}, {"infinite": true}], "contact": [0,0,0], "normal": [0,0,2],
     "mu": 0, "e": 1}]})");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  for (const char* place : {"/cases/0/W/2/2", "/cases/0/v", "/cases/0/mu", "/cases/0/e", "/cases/0/lw",
                            "/cases/2/bodies/0/mass", "/cases/2/bodies/0/inertia", "/cases/2/normal"})
    EXPECT_NE(run.err.find(std::string("standard input: ") + place + ": "), std::string::npos) << place;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 8) << run.err;
}

TEST(BadCaseFiles, CountWhatIsTooMuchToTell) {
  std::string text = R"({"cases": [0)";
  for (int i = 1; i < 2000; ++i) text += ", 0";
  const ProgramRun run = run_program({"impact", "-"}, text + "]}");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("and 1500 more faults"), std::string::npos);
}

TEST(BadCaseFiles, CannotSendControlCharactersToTheTerminal) {
  const ProgramRun run = run_program({"impact", "-"}, "{\"cases\": [{\"\\u001b[31m\\n\": 1}]}");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err.find('\x1b'), std::string::npos);
  EXPECT_NE(run.err.find("?[31m?"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace visviva

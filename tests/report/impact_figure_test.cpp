#include "visviva/report/impact_figure.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "visviva/core/error.hpp"

namespace visviva::report {
namespace {

FigureCase icosahedron(const std::string& name, const Vec3& v, Real mu) {
  FigureCase input;
  input.name = name;
  input.problem.W << 11.5984, -0.910367, 2.44236, -0.910367, 9.90134, 1.95747, 2.44236, 1.95747, 2.59042;
  input.problem.v = v;
  input.problem.friction = mu;
  input.problem.restitution = 0.95;
  return input;
}

/// Every tag that opens closes, in order; attributes are quoted.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    ASSERT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    ASSERT_EQ(tag.find('<'), std::string::npos) << tag;
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

void expect_numbers(const std::string& svg) {
  for (const char* bad : {"nan", "inf\"", "inf,", "-inf"}) EXPECT_EQ(svg.find(bad), std::string::npos) << bad;
}

TEST(ImpactFigure, OfOneCaseHasThreePanels) {
  const FigureCase input = icosahedron("Fig. 4(a)", {-0.26, 0.39, -0.077}, 0.8);
  const std::string svg = impact_figure({&input, 1});
  expect_well_formed(svg);
  expect_numbers(svg);
  EXPECT_NE(svg.find("viewBox="), std::string::npos);
  EXPECT_NE(svg.find("plane of compression"), std::string::npos);
  EXPECT_NE(svg.find("line of sticking"), std::string::npos);
  EXPECT_NE(svg.find("N s"), std::string::npos);
  EXPECT_NE(svg.find("49.1\u00b0"), std::string::npos);  // the two centripetal directions of the text's Fig. 4(a)
  EXPECT_NE(svg.find("200.2\u00b0"), std::string::npos);
  EXPECT_EQ(svg.find("centrifugal"), std::string::npos);  // none for mu = 0.8
}

TEST(ImpactFigure, BundlesCasesThatShareWAndFriction) {
  const std::vector<FigureCase> cases{icosahedron("a", {1, 0, -0.2}, 0.8), icosahedron("b", {0, 1, -0.2}, 0.8),
                                      icosahedron("c", {0, 1, -0.2}, 0.25), icosahedron("d", {-1, 0, -0.2}, 0.8)};
  const std::string svg = impact_figure(cases);
  expect_well_formed(svg);
  EXPECT_EQ(count(svg, "<clipPath"), 2u);  // one a panel
  EXPECT_NE(svg.find("3 hodographs"), std::string::npos);
  EXPECT_NE(svg.find("centrifugal direction"), std::string::npos);  // mu = 0.25 < 0.3157
}

TEST(ImpactFigure, DrawsCasesThatStartAlikeApart) {
  std::vector<FigureCase> cases(3, icosahedron("law", {-0.26, 0.39, -0.077}, 0.8));
  cases[1].settings.law = impact::Law::Poisson;
  cases[2].settings.law = impact::Law::Newton;
  EXPECT_EQ(count(impact_figure(cases), "<clipPath"), 3u);
}

TEST(ImpactFigure, DrawsImpactsWithoutImpulseWithoutFrictionAndWithoutRank) {
  FigureCase apart = icosahedron("apart", {1, 0, 1}, 0.5), smooth = icosahedron("smooth", {1, 0, -1}, 0);
  FigureCase rail = icosahedron("rail", {0.3, -0.4, -1}, 0.5), fixed = icosahedron("fixed", {0, 0, -1}, 0.5);
  rail.problem.W = Vec3(0, 0, 2).asDiagonal();
  fixed.problem.W.setZero();
  const FigureCase still = icosahedron("straight down", {0, 0, -1}, 0.8);
  for (const FigureCase& input : {apart, smooth, rail, fixed, still}) {
    const std::string svg = impact_figure({&input, 1});
    expect_well_formed(svg);
    expect_numbers(svg);
  }
}

TEST(ImpactFigure, DrawsAnyScale) {
  for (const Real scale : {1e-200, 1e-30, 1e-6, 1e6, 1e30, 1e140}) {
    const FigureCase input = icosahedron("scaled", scale * Vec3(-0.26, 0.39, -0.077), 0.8);
    const std::string svg = impact_figure({&input, 1});
    expect_well_formed(svg);
    expect_numbers(svg);
  }
}

TEST(ImpactFigure, EscapesNames) {
  const FigureCase input = icosahedron("<b>&\"*_{", {1, 0, -1}, 0.5);
  const std::string svg = impact_figure({&input, 1});
  expect_well_formed(svg);
  EXPECT_NE(svg.find("&lt;b&gt;&amp;&quot;*_{"), std::string::npos);
}

TEST(ImpactFigure, RefusesToDrawNothing) { EXPECT_THROW((void)impact_figure({}), InvalidArgument); }

}  // namespace
}  // namespace visviva::report

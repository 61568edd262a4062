#include "visviva/core/id.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace visviva {
namespace {

using TestId = Id<struct TestTag>;
using TestPool = IdPool<struct TestTag>;

TEST(Id, DefaultIsNullAndNeverAlive) {
  TestPool pool;
  EXPECT_FALSE(TestId{});
  EXPECT_FALSE(pool.is_alive({}));
  EXPECT_TRUE(pool.issue());
  EXPECT_FALSE(pool.is_alive({}));
}

TEST(Id, IssuedIdIsAliveUntilRecycled) {
  TestPool pool;
  const TestId id = pool.issue();
  EXPECT_TRUE(pool.is_alive(id));
  pool.recycle(id);
  EXPECT_FALSE(pool.is_alive(id));
  EXPECT_EQ(pool.size(), 0u);
}

TEST(Id, ReusedIndexHasANewGeneration) {
  TestPool pool;
  const TestId old = pool.issue();
  pool.recycle(old);
  const TestId fresh = pool.issue();
  EXPECT_EQ(fresh.index, old.index);
  EXPECT_NE(fresh, old);
  EXPECT_FALSE(pool.is_alive(old));
  EXPECT_TRUE(pool.is_alive(fresh));
  EXPECT_EQ(pool.slots(), 1u);
}

TEST(Id, StaleIdThrowsAndSaysWhatItNamed) {
  TestPool pool("body");
  pool.issue();
  const TestId id = pool.issue();
  pool.recycle(id);
  try {
    pool.check(id);
    FAIL() << "nothing was thrown";
  } catch (const StaleId& error) {
    EXPECT_STREQ(error.what(), "body id 1 (generation 1) names nothing: it was destroyed or never created");
  }
}

TEST(Id, SecondRecyclingThrowsAndChangesNothing) {
  TestPool pool;
  const TestId kept = pool.issue();
  const TestId id = pool.issue();
  pool.recycle(id);
  EXPECT_THROW(pool.recycle(id), StaleId);
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_TRUE(pool.is_alive(kept));
  EXPECT_EQ(pool.issue().index, id.index);
  EXPECT_EQ(pool.issue().index, 2u);
}

TEST(Id, IdNeverIssuedThrows) {
  TestPool pool;
  EXPECT_THROW(pool.check({.index = 3, .generation = 1}), StaleId);
  pool.issue();
  EXPECT_THROW(pool.check({.index = 0, .generation = 2}), StaleId);
}

TEST(Id, PoolOfAStateGoesOnAsTheOther) {
  TestPool pool("thing");
  std::vector<TestId> ids;
  for (int i = 0; i < 6; ++i) ids.push_back(pool.issue());
  for (const std::size_t i : {1u, 4u, 2u}) pool.recycle(ids[i]);
  TestPool other("thing", pool.state());
  EXPECT_EQ(other.size(), pool.size());
  for (const TestId id : ids) EXPECT_EQ(other.is_alive(id), pool.is_alive(id));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(other.issue(), pool.issue());
}

TEST(Id, StatesThatCannotBeAreRefused) {
  const auto refused = [](const IdPoolState& state) { EXPECT_THROW(TestPool("thing", state), InvalidArgument); };
  refused({{1}, {}, {}});
  refused({{0}, {1}, {}});
  refused({{1}, {2}, {}});
  refused({{1, 1}, {1, 0}, {0}});     // in use
  refused({{1, 1}, {1, 0}, {1, 1}});  // twice
  refused({{1, 1}, {1, 0}, {2}});     // none
  refused({{1, 1}, {1, 0}, {}});      // lost
}

// Against a plain list of what is alive, over a fixed random history.
TEST(Id, NoIdIsEverIssuedTwice) {
  std::mt19937_64 random(20240601);
  TestPool pool;
  std::vector<TestId> alive, ever;
  for (int i = 0; i < 3000; ++i) {
    if (alive.empty() || random() % 5 < 3) {
      alive.push_back(pool.issue());
      ever.push_back(alive.back());
    } else {
      const auto victim = alive.begin() + static_cast<std::ptrdiff_t>(random() % alive.size());
      pool.recycle(*victim);
      alive.erase(victim);
    }
    ASSERT_EQ(pool.size(), alive.size());
  }
  std::sort(alive.begin(), alive.end());
  std::sort(ever.begin(), ever.end());
  EXPECT_EQ(std::adjacent_find(ever.begin(), ever.end()), ever.end());
  for (const TestId id : ever) EXPECT_EQ(pool.is_alive(id), std::binary_search(alive.begin(), alive.end(), id));
}

}  // namespace
}  // namespace visviva

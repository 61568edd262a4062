#include "visviva/io/csv.hpp"

#include <cstdlib>
#include <sstream>

#include "recording_samples.hpp"
#include "visviva/core/error.hpp"
#include "visviva/io/file_error.hpp"

namespace visviva::io {
namespace {

using namespace samples;

/// The fields of each line, by RFC 4180: written for this test, so that it shares nothing with the writer.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      rows.back().back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  EXPECT_EQ(rows.back(), std::vector<std::string>{""});  // the last line ends too
  rows.pop_back();
  return rows;
}

std::string joined(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += (line.empty() ? "" : ",") + field;
  return line;
}

Real number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }
Vec3 vector(const std::vector<std::string>& row, std::size_t first) {
  return {number(row[first]), number(row[first + 1]), number(row[first + 2])};
}

class Csv : public ::testing::Test {
 protected:
  std::string directory_ = scratch("csv");
  void SetUp() override { std::filesystem::create_directories(directory_); }
  [[nodiscard]] std::vector<std::vector<std::string>> read(const char* name) const {
    return parse_csv(read_bytes(directory_ + "/" + name));
  }
};

TEST_F(Csv, TrajectoryComesBackBitForBit) {
  const model::Model model = make_model(2);
  {
    CsvWriter writer(directory_, model);
    for (std::size_t i = 0; i < 200; ++i) writer.write(make_frame(i, 3));
  }
  const auto rows = read("trajectory.csv");
  EXPECT_EQ(joined(rows[0]), "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  ASSERT_EQ(rows.size(), 1 + 200 * 3U);
  for (std::size_t i = 0; i < 200; ++i) {
    model::Frame frame;
    for (std::size_t b = 0; b < 3; ++b) {
      const auto& row = rows[1 + 3 * i + b];
      ASSERT_EQ(row.size(), 15U);
      EXPECT_EQ(row[1], model.bodies[b + 1].name);  // without the static one
      frame.time = number(row[0]);
      frame.bodies.push_back({vector(row, 2),
                              {number(row[5]), number(row[6]), number(row[7]), number(row[8])},
                              vector(row, 9),
                              vector(row, 12)});
    }
    model::Frame written = make_frame(i, 3);  // tables have neither contacts nor sleepers
    written.contacts.clear();
    written.contact_points = 0;
    for (model::BodyFrame& body : written.bodies) body.asleep = false;
    ASSERT_TRUE(same(frame, written)) << "frame " << i;
  }
}

TEST_F(Csv, EventsComeBackBitForBit) {
  const model::Model model = make_model(1, 2);
  {
    CsvWriter writer(directory_, model);
    for (std::size_t i = 0; i < 100; ++i) writer.write(make_event(i));
  }
  const auto rows = read("events.csv");
  EXPECT_EQ(joined(rows[0]), "time,kind,body_a,body_b,px,py,pz,nx,ny,nz,ix,iy,iz,energy_lost,joint,fx,fy,fz,tx,ty,tz");
  ASSERT_EQ(rows.size(), 101U);
  const char* kinds[] = {"impact", "zeno", "rest", "wake", "halved_step", "break", "bond"};
  for (std::size_t i = 0; i < 100; ++i) {
    const model::Event event = make_event(i);
    const auto& row = rows[i + 1];
    ASSERT_EQ(row.size(), 21U);
    EXPECT_TRUE(same(number(row[0]), event.time));
    EXPECT_EQ(row[1], kinds[i % 7]);
    EXPECT_EQ(row[2], i % 3 == 0 ? "" : "ground");
    EXPECT_EQ(row[3], "belt, moving");
    EXPECT_TRUE(same_matrix(vector(row, 4), event.point));
    EXPECT_TRUE(same_matrix(vector(row, 7), event.normal));
    EXPECT_TRUE(same_matrix(vector(row, 10), event.impulse));
    EXPECT_TRUE(same(number(row[13]), event.energy_lost));
    EXPECT_EQ(row[14], i == 1 ? "joint, 1" : "");  // others have no joint, or one that the model does not have
    EXPECT_TRUE(same_matrix(vector(row, 15), event.force));
    EXPECT_TRUE(same_matrix(vector(row, 18), event.torque));
  }
}

TEST_F(Csv, JointsComeBackBitForBit) {
  const model::Model model = make_model(1, 2);
  {
    CsvWriter writer(directory_, model);
    for (std::size_t i = 0; i < 20; ++i) writer.write(make_frame(i, 2, 2));
    EXPECT_THROW(writer.write(make_frame(20, 2, 1)), InvalidArgument);
  }
  const auto rows = read("joints.csv");
  EXPECT_EQ(joined(rows[0]), "time,joint,fx,fy,fz,tx,ty,tz,coordinate,coordinate_2,error,angular_error,broken");
  ASSERT_EQ(rows.size(), 1 + 20 * 2U);
  for (std::size_t i = 0; i < 40; ++i) {
    const model::JointFrame joint = make_frame(i / 2, 2, 2).joints[i % 2];
    const auto& row = rows[i + 1];
    ASSERT_EQ(row.size(), 13U);
    EXPECT_EQ(row[1], i % 2 == 0 ? "joint, 0" : "joint, 1");
    EXPECT_TRUE(same_matrix(vector(row, 2), joint.force));
    EXPECT_TRUE(same_matrix(vector(row, 5), joint.torque));
    EXPECT_TRUE(same(number(row[8]), joint.coordinates[0]));
    EXPECT_EQ(row[9].empty(), i % 2 == 0) << "no second coordinate";
    EXPECT_TRUE(same(number(row[10]), joint.error));
    EXPECT_TRUE(same(number(row[11]), joint.angular_error));
    EXPECT_EQ(row[12], joint.broken ? "1" : "0");
  }
}

TEST_F(Csv, EnergyHasTheTotalAndWhatIsKnownOfTheLedger) {
  {
    CsvWriter writer(directory_, make_model(1));
    model::Energies energies{0.1, 1, 2, 4};
    energies.rest_loss = 8;
    energies.work.friction = -1;
    energies.contacts = 3;
    writer.write(energies);
  }
  EXPECT_EQ(read_bytes(directory_ + "/energy.csv"),
            "time,kinetic_translation,kinetic_rotation,potential,total,impact_loss,rest_loss,guided_work,friction,"
            "restitution,contacts,stabilisation,damping,applied,integrator,penetration,contact_count,awake_count,"
            "joints,motors,springs,breaking,bond_count,bond_utilisation\n"
            "0.10000000000000001,1,2,4,7,,8,,-1,,,,,,,,3,,0,0,0,0,0,0\n");
}

TEST_F(Csv, FlushedLinesAreInTheFile) {
  CsvWriter writer(directory_, make_model(1));
  writer.write(make_frame(0, 2));
  writer.flush();
  EXPECT_EQ(read("trajectory.csv").size(), 3U);
  EXPECT_THROW(writer.write(make_frame(0, 3)), InvalidArgument);
}

TEST(CsvErrors, NameTheFile) {
  const std::string missing = scratch("not/there");
  try {
    const CsvWriter writer(missing, make_model(1));
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()), "cannot write " + missing + "/trajectory.csv: No such file or directory");
  }
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  const std::string directory = scratch("full");
  std::filesystem::create_directories(directory);
  std::filesystem::create_symlink("/dev/full", directory + "/energy.csv");
  CsvWriter writer(directory, make_model(1));
  writer.write(make_energies(1));
  try {
    writer.flush();
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()), "cannot write " + directory + "/energy.csv: No space left on device");
  }
}

}  // namespace
}  // namespace visviva::io

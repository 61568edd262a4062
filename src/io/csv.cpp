#include "visviva/io/csv.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <vector>

#include "visviva/core/error.hpp"
#include "visviva/core/log.hpp"
#include "visviva/io/file_error.hpp"

namespace visviva::io {

namespace {

/// A file that lines are appended to.
class LineFile {
 public:
  LineFile(std::string path, std::string_view header)
      : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb"), [](std::FILE* f) { return std::fclose(f); }) {
    if (!file_) fail();
    text_.append(header);
    text_.push_back('\n');
  }

  void text(std::string_view value) {
    text_.append(value);
    text_.push_back(',');
  }
  void number(Real value) { fmt::format_to(std::back_inserter(text_), "{:.17g},", value); }
  /// An empty field for what is not known.
  void number_or_nothing(Real value) {
    if (std::isnan(value))
      text("");
    else
      number(value);
  }
  void numbers(const Vec3& v) {
    for (const Real value : v) number(value);
  }
  void end_line() {
    text_.back() = '\n';
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    if (text_.size() >= kBlock) write_text();
  }

  void flush() {
    if (!file_) return;
    write_text();
    if (std::fflush(file_.get()) != 0) fail();
  }
  void close() {
    if (!file_) return;
    write_text();
    if (std::fclose(file_.release()) != 0) fail();
  }

 private:
  /// What does not go through is dropped, so that closing does not fail once more.
  void write_text() {
    const std::size_t written = file_ ? std::fwrite(text_.data(), 1, text_.size(), file_.get()) : 0;
    const bool ok = written == text_.size();
    text_.clear();
    if (!ok) fail();
  }
  [[noreturn]] void fail() const { throw FileError("write", path_, std::strerror(errno)); }

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string text_;
};

/// As RFC 4180 has it: quoted if needed, quotes doubled.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  return quoted + "\"";
}

}  // namespace

class CsvWriter::Data {
 public:
  Data(const std::string& directory, const model::Model& model)
      : trajectory_(file_in(directory, "trajectory.csv"), "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"),
        events_(file_in(directory, "events.csv"),
                "time,kind,body_a,body_b,px,py,pz,nx,ny,nz,ix,iy,iz,energy_lost,"
                "joint,fx,fy,fz,tx,ty,tz"),
        energy_(file_in(directory, "energy.csv"),
                "time,kinetic_translation,kinetic_rotation,potential,total,impact_loss,rest_loss,guided_work,friction,"
                "restitution,contacts,stabilisation,damping,applied,integrator,penetration,contact_count,awake_count,"
                "joints,motors,springs,breaking,bond_count,bond_utilisation") {
    if (!model.joints.empty())
      joints_.emplace(file_in(directory, "joints.csv"),
                      "time,joint,fx,fy,fz,tx,ty,tz,coordinate,coordinate_2,error,angular_error,broken");
    for (const model::JointDesc& joint : model.joints) joint_names_.push_back(csv_field(joint.name));
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      names_.push_back(csv_field(model.bodies[i].name));
      if (model.bodies[i].type != model::BodyType::Static) moving_.push_back(i);
    }
  }
  ~Data() {
    try {
      close();
    } catch (const std::exception& error) {
      log_error("{}", error.what());
    }
  }

  void write(const model::Frame& frame) {
    require(frame.bodies.size() == moving_.size(), "trajectory", "number of bodies of a frame",
            fmt::format("be {}", moving_.size()), frame.bodies.size());
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      const model::BodyFrame& body = frame.bodies[i];
      trajectory_.number(frame.time);
      trajectory_.text(names_[moving_[i]]);
      trajectory_.numbers(body.x);
      for (const Real q : {body.q.w, body.q.x, body.q.y, body.q.z}) trajectory_.number(q);
      trajectory_.numbers(body.v);
      trajectory_.numbers(body.w);
      trajectory_.end_line();
    }
    require(frame.joints.size() == joint_names_.size(), "trajectory", "number of joints of a frame",
            fmt::format("be {}", joint_names_.size()), frame.joints.size());
    for (std::size_t i = 0; i < frame.joints.size(); ++i) {
      const model::JointFrame& joint = frame.joints[i];
      joints_->number(frame.time);
      joints_->text(joint_names_[i]);
      joints_->numbers(joint.force);
      joints_->numbers(joint.torque);
      for (const Real q : joint.coordinates) joints_->number_or_nothing(q);
      joints_->number(joint.error);
      joints_->number(joint.angular_error);
      joints_->text(joint.broken ? "1" : "0");
      joints_->end_line();
    }
  }

  void write(const model::Energies& e) {
    for (const Real value : {e.time, e.kinetic_translation, e.kinetic_rotation, e.potential, e.total()})
      energy_.number(value);
    const model::EnergyWork& w = e.work;
    for (const Real value : {e.impact_loss, e.rest_loss, e.guided_work, w.friction, w.restitution, w.contacts,
                             w.stabilisation, w.damping, w.applied, w.integrator, e.penetration, e.contacts, e.awake})
      energy_.number_or_nothing(value);
    const bool has_ledger = !std::isnan(w.friction);
    for (const Real value : {w.joints, w.motors, w.springs, w.breaking})
      energy_.number_or_nothing(has_ledger ? value : model::kUnknown);
    for (const Real value : {e.bonds, e.utilisation}) energy_.number(value);
    energy_.end_line();
  }

  void write(const model::Event& event) {
    events_.number(event.time);
    events_.text(to_string(event.kind));
    events_.text(name(event.body_a));
    events_.text(name(event.body_b));
    events_.numbers(event.point);
    events_.numbers(event.normal);
    events_.numbers(event.impulse);
    events_.number(event.energy_lost);
    events_.text(event.joint < joint_names_.size() ? std::string_view(joint_names_[event.joint]) : std::string_view());
    events_.numbers(event.force);
    events_.numbers(event.torque);
    events_.end_line();
  }

  void flush() {
    for (LineFile* file : {&trajectory_, &events_, &energy_}) file->flush();
    if (joints_) joints_->flush();
  }
  void close() {
    for (LineFile* file : {&trajectory_, &events_, &energy_}) file->close();
    if (joints_) joints_->close();
  }

 private:
  static std::string file_in(const std::string& directory, const char* name) {
    return (std::filesystem::path(directory) / name).string();
  }
  [[nodiscard]] std::string_view name(std::uint32_t body) const {
    return body < names_.size() ? std::string_view(names_[body]) : std::string_view();
  }

  std::vector<std::string> names_;   // of all bodies, ready for a line
  std::vector<std::size_t> moving_;  // indices of those that are not static
  std::vector<std::string> joint_names_;
  LineFile trajectory_, events_, energy_;
  std::optional<LineFile> joints_;
};

CsvWriter::CsvWriter(const std::string& directory, const model::Model& model)
    : data_(std::make_unique<Data>(directory, model)) {}
CsvWriter::~CsvWriter() = default;
CsvWriter::CsvWriter(CsvWriter&&) noexcept = default;
CsvWriter& CsvWriter::operator=(CsvWriter&&) noexcept = default;

void CsvWriter::write(const model::Frame& frame) { data_->write(frame); }
void CsvWriter::write(const model::Energies& energies) { data_->write(energies); }
void CsvWriter::write(const model::Event& event) { data_->write(event); }
void CsvWriter::flush() { data_->flush(); }
void CsvWriter::close() { data_->close(); }

}  // namespace visviva::io

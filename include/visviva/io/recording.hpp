#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "visviva/geometry/shapes.hpp"
#include "visviva/model/model.hpp"
#include "visviva/model/run.hpp"

/// Recordings of runs in HDF5; docs/recording_format.md has the layout.
namespace visviva::io {

/// Format that this library writes. It reads every minor version of the same major one.
inline constexpr int kRecordingMajor = 1;
inline constexpr int kRecordingMinor = 5;

struct RecordingSettings {
  int flush_frames = 4096;  ///< at most so many frames are lost when the program is killed, >= 1
  Real flush_seconds = 1;   ///< or so much wall time of them: asked at each write, >= 0 [s]
};

/// Writes a run while it happens. Whatever was flushed can be read after the program was killed, and by others while
/// it still runs. The file takes the place of an older one of its name only when it is ready for the first frame.
///
/// All members but the destructor throw FileError if the file cannot be written (directory missing, no permission,
/// disk full). From then on the recording is over: it keeps what was flushed before, and each further call throws the
/// same error.
class RecordingWriter {
 public:
  /// `scene_text` is the resolved scene as JSON, for viewers; it may be empty.
  RecordingWriter(const std::string& path, const model::Model& model, std::string_view scene_text,
                  const RecordingSettings& settings = {});
  ~RecordingWriter();  ///< closes; a failure is logged
  RecordingWriter(RecordingWriter&&) noexcept;
  RecordingWriter& operator=(RecordingWriter&&) noexcept;

  /// Throws InvalidArgument if the frame has another number of bodies than the model has moving ones, or of joints.
  void write(const model::Frame& frame);
  void write(const model::Energies& energies);
  void write(const model::Event& event);

  void flush();
  void close();  ///< flushes and marks the recording as complete; nothing can be written afterwards

 private:
  class Data;
  std::unique_ptr<Data> data_;
};

/// How well a mesh shows its shape; of several parts the worst.
enum class MeshFidelity : std::uint8_t {
  Exact,     ///< a polyhedron
  Faceted,   ///< a curved surface by triangles, with its vertices on it
  Cut,       ///< a half-space: a square of its boundary
  PartsOnly  ///< of older recordings: a difference, complement or general intersection, whose parts are drawn whole
};
[[nodiscard]] const char* to_string(MeshFidelity fidelity);  ///< "exact", "faceted", "cut", "parts_only"

/// A shape as viewers need it.
struct RecordedShape {
  std::string name;
  std::uint32_t body = 0;      ///< index into Model::bodies
  std::uint32_t material = 0;  ///< index into Model::materials
  std::uint32_t mesh = 0;      ///< index into RecordingReader::meshes(): equal ones are shared
  MeshFidelity fidelity = MeshFidelity::Exact;
};

/// Reads a recording that is complete, was cut off by a kill, or is still being written (what was flushed at the time
/// of opening). Throws FileError that says what is wrong with a file: not there, not a recording, of a newer major
/// version, cut short, damaged.
class RecordingReader {
 public:
  explicit RecordingReader(const std::string& path);
  ~RecordingReader();
  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] int major_version() const;
  [[nodiscard]] int minor_version() const;
  [[nodiscard]] const std::string& program() const;     ///< that wrote it: "visviva 0.1.0 (commit)"
  [[nodiscard]] const std::string& scene_text() const;  ///< JSON, or empty
  [[nodiscard]] bool is_complete() const;               ///< closed by its writer

  /// Name, gravity, duration, materials, bodies without their shapes, and of joints what can be seen (kind, bodies,
  /// frames, limits of axes and lengths, wheels, path, target, breaking strength): the shapes are in the scene text
  /// and, as meshes in the frames of their bodies, below.
  [[nodiscard]] const model::Model& model() const;
  [[nodiscard]] const std::string& stepper() const;  ///< "variational" or "realtime"
  [[nodiscard]] const std::vector<RecordedShape>& shapes() const;
  [[nodiscard]] const std::vector<geometry::TriangleMesh>& meshes() const;

  [[nodiscard]] std::size_t frame_count() const;
  [[nodiscard]] std::size_t energies_count() const;
  [[nodiscard]] std::size_t event_count() const;
  [[nodiscard]] std::size_t contact_count() const;  ///< points of lasting contacts in all frames together
  [[nodiscard]] bool has_contacts() const;          ///< of a version that records them, and who sleeps: 1.3 or later

  // Throw InvalidArgument unless first + count <= the number of them.
  [[nodiscard]] std::vector<Real> times(std::size_t first, std::size_t count) const;  ///< of frames [s]
  /// Rows of lasting contacts that each frame has: 0 in versions that have none.
  [[nodiscard]] std::vector<std::size_t> contact_counts(std::size_t first, std::size_t count) const;
  [[nodiscard]] std::vector<model::Frame> frames(std::size_t first, std::size_t count) const;
  [[nodiscard]] std::vector<model::Energies> energies(std::size_t first, std::size_t count) const;
  [[nodiscard]] std::vector<model::Event> events(std::size_t first, std::size_t count) const;

 private:
  class Data;
  std::unique_ptr<Data> data_;
};

}  // namespace visviva::io

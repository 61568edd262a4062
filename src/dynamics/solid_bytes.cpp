#include "dynamics/solid_bytes.hpp"

#include <algorithm>
#include <optional>

#include "dynamics/state_fields.hpp"

namespace visviva::dynamics {

namespace {

using geometry::BooleanOperation;
using geometry::Plane;
using geometry::Solid;

enum class Node : std::uint8_t { Shape, HalfSpace, Boolean, Complement };

/// A solid that is a part of itself many times over could have more parts than there is memory, and so deep a tree that
/// no stack holds its recursion.
constexpr std::uint64_t kMostParts = 1 << 20;
constexpr std::uint32_t kDeepest = 1 << 12;

}  // namespace

template <>
struct LastOf<Node> {
  static constexpr Node kValue = Node::Complement;
};
template <>
struct LastOf<BooleanOperation> {
  static constexpr BooleanOperation kValue = BooleanOperation::Difference;
};

template <class S>
void fields(S& s, FieldsOf<S, geometry::Sphere>& a) {
  s(a.radius);
}
template <class S>
void fields(S& s, FieldsOf<S, geometry::Ellipsoid>& a) {
  s(a.semi_axes);
}
template <class S>
void fields(S& s, FieldsOf<S, geometry::Box>& a) {
  s(a.half_extents);
}
template <class S>
void fields(S& s, FieldsOf<S, geometry::Capsule>& a) {
  s(a.radius, a.half_height);
}
template <class S>
void fields(S& s, FieldsOf<S, geometry::Cylinder>& a) {
  s(a.radius, a.half_height);
}
template <class S>
void fields(S& s, FieldsOf<S, geometry::Cone>& a) {
  s(a.radius, a.half_height);
}
template <class S>
void fields(S& s, FieldsOf<S, geometry::ConvexHull>& a) {
  s(a.points);
}
template <class S>
void fields(S& s, FieldsOf<S, geometry::TriangleMesh>& a) {
  s(a.vertices, a.triangles);
}
template <class S>
void fields(S& s, FieldsOf<S, geometry::TriangleSurface>& a) {
  s(a.vertices, a.triangles, a.two_sided);
}
template <class S>
void fields(S& s, FieldsOf<S, geometry::HeightField>& a) {
  s(a.rows, a.columns, a.spacing, a.heights);
}

namespace {

void write_shape(ByteWriter& s, const geometry::Shape& shape) {
  s(static_cast<std::uint8_t>(shape.index()));
  std::visit([&](const auto& a) { s(a); }, shape);
}

template <std::size_t I = 0>
geometry::Shape read_shape(ByteReader& s, std::size_t index) {
  if constexpr (I == std::variant_size_v<geometry::Shape>) {
    throw InvalidArgument("snapshot", "shape", "be of a kind that is known", fmt::format("{}", index));
  } else {
    if (index != I) return read_shape<I + 1>(s, index);
    std::variant_alternative_t<I, geometry::Shape> shape;
    s(shape);
    return shape;
  }
}

const void* identity(const Solid& solid) {
  if (solid.placed() != nullptr) return solid.placed();
  if (solid.plane() != nullptr) return solid.plane();
  if (solid.tree() != nullptr) return solid.tree();
  return solid.complemented();
}

/// Reads nodes, each of solids that came before it.
class SolidReader {
 public:
  explicit SolidReader(ByteReader& stream) : stream_(stream) {}

  std::vector<Solid> read_all() {
    for (std::size_t count = stream_.size(); count > 0; --count) {
      extents_.push_back({});
      solids_.push_back(read_one());
      const Extent& extent = extents_.back();
      require(extent.parts <= kMostParts, "snapshot", "solid", "have at most 2^20 parts", extent.parts);
      require(extent.depth <= kDeepest, "snapshot", "solid", "be at most 4096 operations deep", extent.depth);
    }
    return std::move(solids_);
  }

 private:
  struct Extent {
    std::uint64_t parts = 1;
    std::uint32_t depth = 1;
  };

  Solid read_one() {
    Node node = Node::Shape;
    stream_(node);
    switch (node) {
      case Node::Shape: {
        std::uint8_t kind = 0;
        stream_(kind);
        geometry::Shape shape = read_shape(stream_, kind);
        Pose X_BS;
        Real rounding = 0;
        stream_(X_BS, rounding);
        return Solid(std::move(shape), X_BS, rounding);
      }
      case Node::HalfSpace: {
        Plane plane;
        stream_(plane);
        return Solid::of_unit_plane(plane);
      }
      case Node::Boolean: {
        BooleanOperation operation = BooleanOperation::Union;
        stream_(operation);
        const std::uint32_t a = read_part(), b = read_part();
        extents_.back().parts = extents_[a].parts + extents_[b].parts;
        extents_.back().depth = std::max(extents_[a].depth, extents_[b].depth) + 1;
        return Solid(operation, solids_[a], solids_[b]);
      }
      case Node::Complement: {
        const std::uint32_t a = read_part();
        extents_.back() = {extents_[a].parts, extents_[a].depth + 1};
        return complement(solids_[a]);
      }
    }
    throw InvalidArgument("snapshot", "solid", "be of a kind that is known", "another");
  }

  std::uint32_t read_part() {
    std::uint32_t number = 0;
    stream_(number);
    require(number < solids_.size(), "snapshot", "part of a solid", "come before it", number);
    return number;
  }

  ByteReader& stream_;
  std::vector<Solid> solids_;
  std::vector<Extent> extents_;  ///< of each solid, and of the one that is being read
};

}  // namespace

std::uint32_t SolidWriter::add(const Solid& solid) {
  const void* key = identity(solid);
  if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
  if (const geometry::PlacedShape* placed = solid.placed()) {
    nodes_(Node::Shape);
    write_shape(nodes_, placed->shape);
    nodes_(placed->X_BS, placed->rounding);
  } else if (const Plane* plane = solid.plane()) {
    nodes_(Node::HalfSpace, *plane);
  } else if (const geometry::BooleanSolid* tree = solid.tree()) {
    const std::uint32_t a = add(tree->a), b = add(tree->b);
    nodes_(Node::Boolean, tree->operation, a, b);
  } else {
    const std::uint32_t a = add(*solid.complemented());
    nodes_(Node::Complement, a);
  }
  const auto number = static_cast<std::uint32_t>(numbers_.size());
  numbers_.emplace(key, number);
  return number;
}

void SolidWriter::write(ByteWriter& stream) const {
  stream.size(numbers_.size());
  stream.append(nodes_);
}

std::vector<Solid> read_solids(ByteReader& stream) { return SolidReader(stream).read_all(); }

}  // namespace visviva::dynamics

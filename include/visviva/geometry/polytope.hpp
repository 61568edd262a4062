#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "visviva/geometry/shapes.hpp"
#include "visviva/math/types.hpp"

namespace visviva::geometry {

/// Vertices, edges and polygon faces of a convex polytope, in the frame B of its Convex. Triangles in one plane are
/// one face. Box and Polytope cores have one (Convex::polytope), a triangle too: with two faces, front and back.
///
/// All of it lies in one block of whole cache lines, its indices in one, two or four bytes, as the largest needs. In a
/// scene of many bodies nothing of a pair is in the caches, and how many lines a query reads is what it waits for.
class Polytope {
 public:
  using Index = std::uint32_t;

  /// Runs counter-clockwise around `left` and clockwise around `right`, seen from outside.
  struct Edge {
    Index from = 0, to = 0, left = 0, right = 0;
  };

  /// Indices in a row.
  class Indices {
   public:
    class Iterator {
     public:
      Iterator(const Indices& indices, std::size_t k) : indices_(&indices), k_(k) {}
      Index operator*() const { return (*indices_)[k_]; }
      Iterator& operator++() {
        ++k_;
        return *this;
      }
      friend bool operator==(const Iterator& a, const Iterator& b) { return a.k_ == b.k_; }

     private:
      const Indices* indices_;
      std::size_t k_;
    };

    Indices(const std::byte* bytes, unsigned shift, Index mask, std::size_t size)
        : bytes_(bytes), shift_(shift), mask_(mask), size_(size) {}
    /// Four bytes are read and those of the next indices dropped: no branch. The block has four more at its end.
    [[nodiscard]] Index operator[](std::size_t k) const {
      static_assert(std::endian::native == std::endian::little, "the first byte read is the lowest");
      Index read = 0;
      std::memcpy(&read, bytes_ + (k << shift_), sizeof read);
      return read & mask_;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Index back() const { return (*this)[size_ - 1]; }
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    [[nodiscard]] Iterator end() const { return {*this, size_}; }
    [[nodiscard]] Indices part(std::size_t first, std::size_t last) const {
      return {bytes_ + (first << shift_), shift_, mask_, last - first};
    }

   private:
    const std::byte* bytes_;
    unsigned shift_;  ///< two to this many bytes each
    Index mask_;      ///< of these bytes
    std::size_t size_;
  };

  Polytope() = default;
  /// Of its vertices [m] and the corners of each face, counter-clockwise; the planes are to be set.
  Polytope(std::span<const Vec3> vertices, std::span<const std::vector<Index>> faces);

  [[nodiscard]] Index vertex_count() const { return vertex_count_; }
  [[nodiscard]] Index edge_count() const { return edge_count_; }
  [[nodiscard]] Index face_count() const { return face_count_; }

  [[nodiscard]] Vec3 vertex(Index i) const {  ///< [m]
    const Real* const x = coordinates() + i;
    return {x[0], x[vertex_stride_], x[2 * std::size_t{vertex_stride_}]};
  }
  [[nodiscard]] Edge edge(Index e) const {
    const Indices all = edges();
    const std::size_t k = 4 * std::size_t{e};
    return {all[k], all[k + 1], all[k + 2], all[k + 3]};
  }
  /// Counter-clockwise.
  [[nodiscard]] Indices corners_of(Index face) const { return part_of(corners(), first_corner(), face); }
  /// The edges from each corner to the next.
  [[nodiscard]] Indices sides_of(Index face) const { return part_of(sides(), first_corner(), face); }
  /// The faces beyond these sides.
  [[nodiscard]] Indices faces_beside(Index face) const { return part_of(beside(), first_corner(), face); }
  /// All vertices that share an edge with this one, in no order, and these edges.
  [[nodiscard]] Indices neighbours_of(Index vertex) const { return part_of(neighbours(), first_around(), vertex); }
  [[nodiscard]] Indices edges_at(Index vertex) const { return part_of(edges_around(), first_around(), vertex); }
  /// The face whose corners go from the vertex along the edge: over edges_at(vertex), all faces there.
  [[nodiscard]] static Index face_beside(const Edge& edge, Index vertex) {
    return edge.from == vertex ? edge.left : edge.right;
  }
  [[nodiscard]] Vec3 normal(Index face) const {  ///< unit, outward
    const Real* const n = planes() + face;
    return {n[0], n[face_stride_], n[2 * std::size_t{face_stride_}]};
  }
  [[nodiscard]] Real offset(Index face) const { return planes()[3 * std::size_t{face_stride_} + face]; }  ///< [m]
  /// A triangle: without inside.
  [[nodiscard]] bool flat() const { return flat_; }

  /// vertex_stride() x of the vertices, then as many y and z; those after the last repeat the first vertex, for lanes
  /// that read past the end [m].
  [[nodiscard]] const Real* coordinates() const { return lines_.data()->number; }
  [[nodiscard]] Index vertex_stride() const { return vertex_stride_; }
  /// Planes n·p = offset of the faces: face_stride() x of n, then as many y, z and offsets, filled up alike.
  [[nodiscard]] const Real* planes() const { return coordinates() + 3 * std::size_t{vertex_stride_}; }
  [[nodiscard]] Index face_stride() const { return face_stride_; }

  /// Cache lines of the whole block, and of the coordinates and planes at its beginning.
  [[nodiscard]] std::size_t line_count() const { return lines_.size(); }
  [[nodiscard]] std::size_t number_line_count() const {
    return (3 * std::size_t{vertex_stride_} + 4 * std::size_t{face_stride_}) / kLine;
  }

  /// Of a vertex and of a face; the copies of the first follow when all are set (fill_up).
  void set_vertex(Index i, const Vec3& p);
  void set_plane(Index face, const Vec3& normal);
  void fill_up();
  void set_flat() { flat_ = true; }

 private:
  static constexpr std::size_t kLine = 8;  ///< numbers
  struct alignas(kLine * sizeof(Real)) Line {
    Real number[kLine];
  };

  [[nodiscard]] static Indices part_of(const Indices& all, const Indices& first, Index i) {
    return all.part(first[i], first[std::size_t{i} + 1]);
  }
  /// The arrays of indices follow each other: four an edge, then two an edge each, then the firsts.
  [[nodiscard]] Indices indices(std::size_t after, std::size_t size) const {
    const auto* const begin = reinterpret_cast<const std::byte*>(lines_.data() + number_line_count());
    return {begin + (after << shift_), shift_, mask_, size};
  }
  [[nodiscard]] std::size_t pairs() const { return 2 * std::size_t{edge_count_}; }
  [[nodiscard]] Indices edges() const { return indices(0, 2 * pairs()); }
  [[nodiscard]] Indices corners() const { return indices(2 * pairs(), pairs()); }
  [[nodiscard]] Indices sides() const { return indices(3 * pairs(), pairs()); }
  [[nodiscard]] Indices neighbours() const { return indices(4 * pairs(), pairs()); }
  [[nodiscard]] Indices edges_around() const { return indices(5 * pairs(), pairs()); }
  [[nodiscard]] Indices beside() const { return indices(6 * pairs(), pairs()); }
  [[nodiscard]] Indices first_corner() const { return indices(7 * pairs(), std::size_t{face_count_} + 1); }
  [[nodiscard]] Indices first_around() const {
    return indices(7 * pairs() + face_count_ + 1, std::size_t{vertex_count_} + 1);
  }

  std::vector<Line> lines_;
  Index vertex_count_ = 0, edge_count_ = 0, face_count_ = 0, vertex_stride_ = 0, face_stride_ = 0;
  Index mask_ = 0;
  std::uint8_t shift_ = 0;
  bool flat_ = false;
};

/// The columns of half_axes lead from the centre to the middles of three faces, right-handed. Vertex i lies on the
/// positive side of axis k if bit k of i is set; face 2 k + 1 is the positive one of axis k, face 2 k its opposite.
[[nodiscard]] Polytope make_box_polytope(const Vec3& center, const Mat3& half_axes);

/// Of a hull as make_convex_hull gives it. Triangles whose corners lie within 1e-10 of the hull's size of the plane of
/// a larger neighbour become one face with it.
[[nodiscard]] Polytope make_polytope(const TriangleMesh& hull);

/// A triangle, seen from both sides; face 0 is the one from which a, b, c runs counter-clockwise. Allocates nothing if
/// `polytope` was one before. The normals of a triangle without area are zero.
void set_triangle(Polytope& polytope, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace visviva::geometry

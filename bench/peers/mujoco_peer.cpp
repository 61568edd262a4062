#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cstring>
#include <iterator>

#include "bench/peers/peer_engine.hpp"
#include "visviva/math/quaternion.hpp"

namespace visviva::bench {

namespace {

constexpr std::uint32_t kWorld = model::kWorldBody;

std::string text_of(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z()); }
std::string place_of(const Pose& X) {
  const Quaternion q = quaternion_from_rotation(X.R);
  return fmt::format("pos=\"{}\" quat=\"{:.17g} {:.17g} {:.17g} {:.17g}\"", text_of(X.p), q.w, q.x, q.y, q.z);
}

/// MuJoCo knows bodies by the joints that they hang on: a ball joint makes its second body part of the first. Joints
/// that close loops, or that hang deeper than its reader of XML goes, are equality constraints.
struct Tree {
  std::vector<std::uint32_t> parent;                 ///< of each body; kWorld for what is free
  std::vector<std::uint32_t> joint;                  ///< that hangs it there; kWorld: free
  std::vector<std::vector<std::uint32_t>> children;  ///< the last: of the world
  std::vector<std::uint32_t> loops;                  ///< joints that are in no tree

  explicit Tree(const PeerScene& scene) {
    const auto count = static_cast<std::uint32_t>(scene.bodies.size());
    parent.assign(count, kWorld);
    joint.assign(count, kWorld);
    children.resize(count + std::size_t{1});
    std::vector<std::vector<std::uint32_t>> joints_of(count + std::size_t{1});
    const auto place = [&](std::uint32_t body) {
      return body == kWorld || !scene.bodies[body].is_dynamic ? count : body;
    };
    for (std::uint32_t k = 0; k < scene.joints.size(); ++k) {
      joints_of[place(scene.joints[k].body_a)].push_back(k);
      joints_of[place(scene.joints[k].body_b)].push_back(k);
    }
    constexpr int kDeepest = 90;
    std::vector<int> depth(count + std::size_t{1}, 0);
    std::vector<bool> placed(count, false), used(scene.joints.size(), false);
    const auto grow = [&](std::uint32_t root) {
      std::vector<std::uint32_t> front = {root};
      for (std::size_t next = 0; next < front.size(); ++next) {
        if (depth[front[next]] == kDeepest) continue;
        for (const std::uint32_t k : joints_of[front[next]]) {
          const std::uint32_t a = place(scene.joints[k].body_a), b = place(scene.joints[k].body_b);
          const std::uint32_t other = a == front[next] ? b : a;
          if (other == count || placed[other] || used[k]) continue;
          placed[other] = used[k] = true;
          parent[other] = front[next] == count ? kWorld : front[next];
          joint[other] = k;
          depth[other] = depth[front[next]] + 1;
          children[front[next]].push_back(other);
          front.push_back(other);
        }
      }
    };
    grow(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (placed[i]) continue;
      placed[i] = true;
      children[count].push_back(i);
      if (scene.bodies[i].is_dynamic) grow(i);
    }
    for (std::uint32_t k = 0; k < scene.joints.size(); ++k)
      if (!used[k]) loops.push_back(k);
  }
};

/// The scene as MuJoCo's own XML.
class Writer {
 public:
  explicit Writer(const PeerScene& scene) : scene_(scene), tree_(scene) {}

  std::string write(int rows, int contacts) {
    for (const std::uint32_t child : tree_.children.back()) write_body(child);
    std::string text = fmt::format(
        "<mujoco><compiler angle=\"radian\"/><option timestep=\"{:.17g}\" gravity=\"{}\"/>"
        "<size njmax=\"{}\" nconmax=\"{}\"/><asset>{}</asset><worldbody>{}</worldbody><equality>",
        scene_.dt, text_of(scene_.gravity), rows, contacts, assets_, bodies_);
    for (const std::uint32_t k : tree_.loops) {
      const PeerJoint& joint = scene_.joints[k];
      const bool has_a = joint.body_a != kWorld;
      const std::uint32_t first = has_a ? joint.body_a : joint.body_b, second = has_a ? joint.body_b : kWorld;
      text += fmt::format("<connect body1=\"b{}\"{} anchor=\"{}\"/>", first,
                          second == kWorld ? "" : fmt::format(" body2=\"b{}\"", second),
                          text_of(has_a ? joint.p_A : joint.p_B));
    }
    return text + "</equality></mujoco>";
  }

 private:
  void write_body(std::uint32_t index) {
    const PeerBody& body = scene_.bodies[index];
    auto out = std::back_inserter(bodies_);
    const std::uint32_t parent = tree_.parent[index];
    const Pose X = parent == kWorld ? body.X_WM : inverse(scene_.bodies[parent].X_WM) * body.X_WM;
    fmt::format_to(out, "<body name=\"b{}\" {}>", index, place_of(X));
    if (body.is_dynamic) {
      fmt::format_to(out, "<inertial pos=\"0 0 0\" mass=\"{:.17g}\" diaginertia=\"{}\"/>", body.mass,
                     text_of(body.moments));
      if (tree_.joint[index] == kWorld) {
        bodies_ += "<freejoint/>";
      } else {
        const PeerJoint& joint = scene_.joints[tree_.joint[index]];
        fmt::format_to(out, "<joint type=\"ball\" pos=\"{}\"/>",
                       text_of(joint.body_b == index ? joint.p_B : joint.p_A));
      }
    }
    for (const PeerShape& shape : body.shapes) write_shape(shape, body);
    for (const std::uint32_t child : tree_.children[index]) write_body(child);
    bodies_ += "</body>";
  }

  void write_shape(const PeerShape& shape, const PeerBody& body) {
    auto out = std::back_inserter(bodies_);
    const std::string surface = fmt::format("friction=\"{:.17g} 0.005 0.0001\" contype=\"{}\" conaffinity=\"{}\"",
                                            body.friction, body.collides ? 1 : 0, body.collides ? 1 : 0);
    if (const auto* plane = std::get_if<geometry::Plane>(&shape.form)) {
      fmt::format_to(out, "<geom type=\"plane\" size=\"0 0 1\" pos=\"{}\" zaxis=\"{}\" {}/>",
                     text_of(plane->offset * plane->normal), text_of(plane->normal), surface);
      return;
    }
    const std::string form = std::visit([&](const auto& s) { return write(s); }, std::get<geometry::Shape>(shape.form));
    fmt::format_to(out, "<geom {} {} {}/>", form, place_of(shape.X_MS), surface);
  }

  static std::string write(const geometry::Sphere& s) {
    return fmt::format("type=\"sphere\" size=\"{:.17g}\"", s.radius);
  }
  static std::string write(const geometry::Box& s) {
    return fmt::format("type=\"box\" size=\"{}\"", text_of(s.half_extents));
  }
  static std::string write(const geometry::Ellipsoid& s) {
    return fmt::format("type=\"ellipsoid\" size=\"{}\"", text_of(s.semi_axes));
  }
  static std::string write(const geometry::Capsule& s) {
    return fmt::format("type=\"capsule\" size=\"{:.17g} {:.17g}\"", s.radius, s.half_height);
  }
  std::string write(const geometry::ConvexHull& s) {
    auto out = std::back_inserter(assets_);
    fmt::format_to(out, "<mesh name=\"m{}\" vertex=\"", meshes_);
    for (const Vec3& p : s.points) fmt::format_to(out, "{} ", text_of(p));
    assets_ += "\"/>";
    return fmt::format("type=\"mesh\" mesh=\"m{}\"", meshes_++);
  }
  template <class Other>
  static std::string write(const Other& form) {
    throw Unsupported{std::string("no ") + geometry::kind_name(geometry::Shape(form)) + " is given to MuJoCo here"};
  }

  const PeerScene& scene_;
  Tree tree_;
  std::string assets_, bodies_;
  int meshes_ = 0;
};

/// What MuJoCo ends the program for.
[[noreturn]] void refuse(const char* message) { throw Unsupported{message}; }
void ignore(const char*) {}

class MujocoWorld : public PeerWorld {
 public:
  explicit MujocoWorld(const PeerScene& scene) {
    mju_user_error = refuse;
    mju_user_warning = ignore;
    const auto [rows, contacts] = find_sizes(scene);
    const std::string xml = Writer(scene).write(rows, contacts);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(xml.size()));
    std::memcpy(files->filedata[0], xml.data(), xml.size());
    char error[1000] = "";
    model_.reset(mj_loadXML("scene.xml", files.get(), error, sizeof error));
    mj_deleteVFS(files.get());
    if (!model_) throw Unsupported{error};
    data_.reset(mj_makeData(model_.get()));
    for (std::uint32_t i = 0; i < scene.bodies.size(); ++i)
      bodies_.push_back(mj_name2id(model_.get(), mjOBJ_BODY, fmt::format("b{}", i).c_str()));
    set_velocities(scene);
  }

  void step() override {
    mj_step(model_.get(), data_.get());
    is_fresh_ = false;
  }
  PeerState state(std::uint32_t index) const override {
    refresh();
    const int body = bodies_[index];
    const mjtNum *p = data_->xpos + 3 * body, *R = data_->xmat + 9 * body;
    mjtNum velocity[6];
    mj_objectVelocity(model_.get(), data_.get(), mjOBJ_BODY, body, velocity, 0);
    PeerState state;
    state.X_WM.R << R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8];
    state.X_WM.p = Vec3(p[0], p[1], p[2]);
    state.angular_velocity = Vec3(velocity[0], velocity[1], velocity[2]);
    state.velocity = Vec3(velocity[3], velocity[4], velocity[5]);
    return state;
  }

 private:
  struct Sizes {
    int rows, contacts;
  };
  /// MuJoCo 2.2 keeps dense matrices of all contacts, and no more than 2^31 bytes.
  static Sizes find_sizes(const PeerScene& scene) {
    constexpr double kContactsOfBody = 8, kRowsOfContact = 4;
    double dynamic = 0, colliding = 0;
    for (const PeerBody& body : scene.bodies) {
      dynamic += body.is_dynamic ? 1 : 0;
      colliding += body.is_dynamic && body.collides ? 1 : 0;
    }
    const double contacts = kContactsOfBody * colliding + 8;
    const double rows = kRowsOfContact * contacts + 3 * static_cast<double>(scene.joints.size());
    const double bytes = 12 * rows * rows + 24 * rows * 6 * dynamic;
    constexpr double kMostBytes = 2147483647;
    if (bytes > kMostBytes)
      throw Unsupported{
          fmt::format("its matrices of all contacts would take about {:.0f} GB, and 2 GB is its most", 1e-9 * bytes)};
    return {static_cast<int>(rows), static_cast<int>(contacts)};
  }

  /// Of free bodies: qvel has the velocity of the frame's origin in world axes, and the angular one in those of the
  /// body.
  void set_velocities(const PeerScene& scene) {
    for (std::uint32_t i = 0; i < scene.bodies.size(); ++i) {
      const PeerBody& body = scene.bodies[i];
      const int first_joint = model_->body_jntadr[bodies_[i]];
      if (first_joint < 0 || model_->jnt_type[first_joint] != mjJNT_FREE) continue;
      mjtNum* const velocity = data_->qvel + model_->jnt_dofadr[first_joint];
      const Vec3 w = body.X_WM.R.transpose() * body.angular_velocity;
      for (int k = 0; k < 3; ++k) {
        velocity[k] = body.velocity[k];
        velocity[3 + k] = w[k];
      }
    }
  }

  /// A step leaves places and velocities of bodies as they were at its start.
  void refresh() const {
    if (is_fresh_) return;
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    is_fresh_ = true;
  }

  struct Delete {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
  std::vector<int> bodies_;
  mutable bool is_fresh_ = false;
};

class MujocoPeer : public PeerEngine {
 public:
  std::string name() const override { return "mujoco"; }
  std::string version() const override { return mj_versionString(); }
  std::string remark() const override { return "no restitution"; }
  std::unique_ptr<PeerWorld> make_world(const PeerScene& scene, int) const override {
    return std::make_unique<MujocoWorld>(scene);
  }
};

}  // namespace

std::unique_ptr<PeerEngine> make_mujoco_peer() { return std::make_unique<MujocoPeer>(); }

}  // namespace visviva::bench

#include "dynamics/snapshot_bytes.hpp"

#include <algorithm>
#include <string_view>

#include "dynamics/solid_bytes.hpp"
#include "dynamics/state_fields.hpp"
#include "visviva/core/assert.hpp"
#include "visviva/core/fnv.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::dynamics {

namespace {

constexpr std::array<char, 8> kMagic = {'V', 'V', 'S', 'N', 'A', 'P', 'S', 'H'};
constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::uint32_t kNumberSizes = sizeof(Real) | sizeof(float) << 8 | sizeof(std::uint64_t) << 16;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t byte_order = kByteOrder;
  std::uint32_t version = Snapshot::kVersion;
  std::uint32_t number_sizes = kNumberSizes;
  std::uint64_t length = 0;    ///< of what follows the header [bytes]
  std::uint64_t checksum = 0;  ///< of the members above, in order, and of what follows
};
constexpr std::size_t kHeaderBytes = 8 + 3 * 4 + 2 * 8;

template <class S>
void fields(S& s, FieldsOf<S, Header>& h) {
  s(h.magic, h.byte_order, h.version, h.number_sizes, h.length, h.checksum);
}

std::uint64_t checksum_of(const Header& h, std::span<const std::byte> contents) {
  Fnv1a sum;
  sum.add_bytes(h.magic.data(), h.magic.size());
  sum.add(h.byte_order);
  sum.add(h.version);
  sum.add(h.number_sizes);
  sum.add(h.length);
  sum.add_bytes(contents.data(), contents.size());
  return sum.value();
}

/// The indices that are in use.
template <class F>
void for_alive(const IdPoolState& ids, F&& f) {
  for (std::uint32_t i = 0; i < ids.alive.size(); ++i)
    if (ids.alive[i] == 1) f(i);
}

// ------------------------------------------------------------------------------------------- writing

void write_bodies(ByteWriter& s, const World::Data& world) {
  const IdPoolState ids = world.body_ids.state();
  s(ids);
  for_alive(ids, [&](std::uint32_t i) {
    const Body& body = world.bodies[i];
    body_fields(s, body);
    if (body.is_dynamic()) s(body.mass.body.mass, body.mass.body.J, body.center_of_mass);
    motion_fields(s, body);
  });
}

void write_shapes(ByteWriter& s, const World::Data& world) {
  const IdPoolState ids = world.shape_ids.state();
  SolidWriter solids;
  std::vector<std::uint32_t> numbers;
  for_alive(ids, [&](std::uint32_t i) { numbers.push_back(solids.add(world.shapes[i]->solid)); });
  solids.write(s);
  s(ids);
  std::size_t next = 0;
  for_alive(ids, [&](std::uint32_t i) {
    const Shape& shape = *world.shapes[i];
    s(numbers[next++], shape.body, shape.material, shape.is_sensor, shape.rolling_friction, shape.spinning_friction,
      shape.surface_velocity, shape.user_data, shape.collider_id);
  });
}

/// Pairs are those of the contacts, and colliders, mobilities and user data follow from the shapes.
void write_space(ByteWriter& s, const World::Data& world) {
  VISVIVA_ASSERT(world.space.pair_count() == world.contacts.size());
  const collision::SpaceState state = world.space.state();
  s(state.broad.ids);
  for_alive(state.broad.ids, [&](std::uint32_t i) {
    const collision::BroadPhaseState::Proxy& proxy = state.broad.proxies[i];
    s(state.entries[i]->pose, proxy.filter, proxy.touched, proxy.bounded);
    if (proxy.bounded)
      s(proxy.grown);
    else
      s(proxy.half_space);
  });
  s(state.broad.moved);
  s.size(state.broad.ended.size());
  for (const collision::ProxyPair& pair : state.broad.ended) s(pair.a, pair.b);
}

void write_contacts(ByteWriter& s, const World::Data& world) {
  std::vector<std::uint8_t> alive;
  for (std::uint32_t i = 0; i < world.contacts.slots(); ++i) alive.push_back(world.contacts.is_alive(i) ? 1 : 0);
  s(alive, world.contacts.free_numbers());
  for (std::uint32_t i = 0; i < alive.size(); ++i)
    if (alive[i] == 1) s(world.contacts[i]);
  s.size(world.lists.size());
  for (const ManifoldList& list : world.lists)
    s(list.cache.pairs(), list.cache.seeds(), list.found, list.impulses, list.keys);
  s(world.free_lists, world.awake_bodies, world.awake_contacts);
  s.size(world.islands.size());
  for (const SleepingIsland& island : world.islands) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = island.first; i != kNone; i = world.bodies[i].next_sleeper) members.push_back(i);
    s(members);
  }
  s(world.free_islands);
}

void write_joints(ByteWriter& s, const World::Data& world) {
  const IdPoolState ids = world.joint_ids.state();
  s(ids);
  for_alive(ids, [&](std::uint32_t i) {
    const Joint& joint = world.joints[i];
    require(joint.user == nullptr, "joint '" + joint.desc.name + "'", "constraint",
            "be one of the engine's own to be written", "one of the application");
    s(joint);
  });
  s(world.awake_joints);
}

void write_ropes(ByteWriter& s, const World::Data& world) {
  const IdPoolState ids = world.rope_ids.state();
  s(ids);
  std::vector<const RopeChain*> chains;
  for_alive(ids, [&](std::uint32_t i) {
    const Rope& rope = world.ropes[i];
    const auto found = std::find(chains.begin(), chains.end(), rope.chain.get());
    const auto number = static_cast<std::uint32_t>(found - chains.begin());
    if (found == chains.end()) chains.push_back(rope.chain.get());
    s(number, rope.first, rope.count);
  });
  for (const RopeChain* chain : chains) {
    rope_fields(s, chain->desc);
    s(chain->segment_length, chain->bodies, chain->joints);
  }
}

// ------------------------------------------------------------------------------------------- reading

constexpr std::string_view kObject = "snapshot";

/// Reads a state and checks it.
class StateReader {
 public:
  StateReader(ByteReader& stream, World::Data& world) : s_(stream), world_(world) {}

  void read() {
    s_(world_.time, world_.steps, world_.dt, world_.h);
    require(std::isfinite(world_.time) && world_.dt >= 0 && world_.h >= 0, kObject, "time", "be finite", world_.time);
    s_(world_.materials, world_.material_pairs);
    check_materials();
    read_bodies();
    read_shapes();
    read_contacts();
    read_awake();
    read_islands();
    read_joints();
    read_ropes();
    read_breakables(s_, world_);
    s_(world_.ledger);
    event_fields(s_, world_);
    require(s_.left() == 0, kObject, "length", "be that of its contents", s_.left());
  }

 private:
  static void check(bool ok, std::string_view field, std::string_view range, std::uint64_t value) {
    require(ok, kObject, field, range, value);
  }
  [[nodiscard]] bool is_body(std::uint32_t i) const { return i < body_ids_.alive.size() && body_ids_.alive[i] == 1; }
  [[nodiscard]] bool is_shape(std::uint32_t i) const { return i < world_.shapes.size() && world_.shapes[i]; }
  [[nodiscard]] bool is_contact(std::uint32_t i) const {
    return i < world_.contacts.slots() && world_.contacts.is_alive(i);
  }

  void check_materials() const {
    check(!world_.materials.empty(), "materials", "be at least the default one", 0);
    for (const model::MaterialDesc& material : world_.materials) check_material("material", material);
    for (const MaterialPair& p : world_.material_pairs) {
      check(std::max(p.a, p.b) < world_.materials.size(), "material pair", "be of its materials", p.a);
      check_surface("material pair", p.surface);
    }
  }

  void read_bodies() {
    s_(body_ids_);
    world_.body_ids = IdPool<BodyTag>("body", body_ids_);
    world_.bodies.resize(body_ids_.alive.size());
    for_alive(body_ids_, [&](std::uint32_t i) { read_body(world_.bodies[i]); });
  }

  void read_body(Body& body) {
    body_fields(s_, body);
    if (body.is_dynamic()) {
      geometry::MassProperties mass;
      s_(mass.mass, mass.inertia, mass.center_of_mass);
      set_mass_data(body, mass);
    }
    motion_fields(s_, body);
    const std::string object = "body '" + body.name + "'";
    for (const Mat3* R : {&body.R, &body.R_start}) validate_rotation(*R, object, "pose");
    for (const Vec3* v : {&body.x, &body.v, &body.x_start, &body.v_start, &body.center_of_mass})
      require(v->cwiseAbs().maxCoeff() < kFarthest, object, "state", "be finite and below 1e12",
              v->lpNorm<Eigen::Infinity>());
    for (const Vec3* v : {&body.w, &body.w_start, &body.acceleration, &body.angular_acceleration, &body.v_before,
                          &body.mean_acceleration, &body.force, &body.torque})
      require(v->cwiseAbs().maxCoeff() < 1e30, object, "state", "be finite and below 1e30",
              v->lpNorm<Eigen::Infinity>());
    check_gravity_scale(body.gravity_scale, body.name);
    for (const Real rate : {body.linear_damping, body.angular_damping})
      require(rate >= 0 && std::isfinite(rate), object, "damping", "be finite and not negative", rate);
    require(body.type != BodyType::Static || (body.v.isZero(0) && body.w.isZero(0)), object, "velocity",
            "be zero for a static body", body.v.norm());
    body.rest();
  }

  /// Shapes with their geometry, and the space that they are in but for its pairs.
  void read_shapes() {
    const std::vector<geometry::Solid> solids = read_solids(s_);
    std::vector<std::optional<collision::Collider>> colliders(solids.size());  // shared by shapes of the same solid
    IdPoolState ids;
    s_(ids);
    world_.shape_ids = IdPool<ShapeTag>("shape", ids);
    world_.shapes.resize(ids.alive.size());
    for_alive(ids, [&](std::uint32_t i) {
      std::uint32_t number = 0, body = 0;
      s_(number, body);
      check(number < solids.size(), "solid of a shape", "be one of its solids", number);
      check(is_body(body), "body of a shape", "be one of its bodies", body);
      if (!colliders[number]) colliders[number].emplace(solids[number]);
      Shape& shape = world_.shapes[i].emplace(body, solids[number], *colliders[number]);
      s_(shape.material, shape.is_sensor, shape.rolling_friction, shape.spinning_friction, shape.surface_velocity,
         shape.user_data, shape.collider_id);
      check(shape.material < world_.materials.size(), "material of a shape", "be one of its materials", shape.material);
      check(shape.rolling_friction >= 0 && shape.spinning_friction >= 0, "friction of a shape", "not be negative", i);
      check(shape.collider.is_bounded() || !world_.bodies[body].is_dynamic(), "shape of a dynamic body", "be bounded",
            i);
      shape.radius = shape.collider.radius_about(world_.bodies[body].center_of_mass);
    });
    check_shape_lists(ids);
    read_space();
  }

  void check_shape_lists(const IdPoolState& ids) {
    std::vector<std::uint8_t> listed(ids.alive.size(), 0);
    for_alive(body_ids_, [&](std::uint32_t i) {
      Body& body = world_.bodies[i];
      for (const std::uint32_t index : body.shapes) {
        check(is_shape(index) && world_.shapes[index]->body == i && listed[index] == 0, "shapes of a body",
              "be its own, each once", index);
        listed[index] = 1;
        body.radius = std::max(body.radius, world_.shapes[index]->radius);
      }
    });
    check(listed == ids.alive, "shapes", "be each of a body", 0);
  }

  void read_space() {
    collision::BroadPhaseState& broad = space_.broad;
    s_(broad.ids);
    const std::size_t count = broad.ids.alive.size();
    broad.proxies.resize(count);
    space_.entries.resize(count);
    world_.collider_shapes.assign(count, kNone);
    for (std::uint32_t i = 0; i < world_.shapes.size(); ++i) {
      if (!world_.shapes[i]) continue;
      const collision::ColliderId id = world_.shapes[i]->collider_id;
      check(id.index < count && broad.ids.alive[id.index] == 1 && broad.ids.generations[id.index] == id.generation &&
                world_.collider_shapes[id.index] == kNone,
            "collider of a shape", "be its own", id.index);
      world_.collider_shapes[id.index] = i;
    }
    for_alive(broad.ids, [&](std::uint32_t i) {
      check(world_.collider_shapes[i] != kNone, "collider", "be that of a shape", i);
      const Shape& shape = *world_.shapes[world_.collider_shapes[i]];
      collision::BroadPhaseState::Proxy& proxy = broad.proxies[i];
      Pose pose;
      s_(pose, proxy.filter, proxy.touched, proxy.bounded);
      if (proxy.bounded)
        s_(proxy.grown);
      else
        s_(proxy.half_space);
      proxy.mobility = mobility_of(world_.bodies[shape.body].type);
      proxy.user_data = world_.collider_shapes[i];
      space_.entries[i].emplace(collision::SpaceState::Entry{shape.collider, pose});
    });
    s_(broad.moved);
    for (std::size_t left = s_.size(); left > 0; --left) {
      collision::ProxyPair& pair = broad.ended.emplace_back();
      s_(pair.a, pair.b);
    }
  }

  void read_contacts() {
    std::vector<std::uint8_t> alive;
    std::vector<std::uint32_t> free;
    s_(alive, free);
    std::vector<Contact> contacts;
    for (const std::uint8_t is : alive) {
      check(is <= 1, "contacts", "be there or not", is);
      Contact& contact = contacts.emplace_back();
      if (is == 1) s_(contact);
      if (is == 1) check_contact(contact);
    }
    world_.contacts = ContactList(std::move(contacts), std::move(alive), std::move(free));
    read_lists();
    // The broad phase has a pair for each contact, and no others.
    for (std::uint32_t i = 0; i < world_.contacts.slots(); ++i) {
      if (!world_.contacts.is_alive(i)) continue;
      link_contact(world_, i);
      const Contact& contact = world_.contacts[i];
      space_.broad.pairs.push_back(std::minmax(world_.shapes[contact.shape_a]->collider_id.index,
                                               world_.shapes[contact.shape_b]->collider_id.index));
    }
    std::sort(space_.broad.pairs.begin(), space_.broad.pairs.end());
    world_.space = collision::Space({.margin = kBroadMargin}, space_);
  }

  static void check(const collision::Manifold& m) {
    check(m.count >= 0 && m.count <= kPoints, "points of a contact", "be 0 to 4", static_cast<std::uint64_t>(m.count));
  }
  static void check(const collision::ManifoldCache& c) {
    check(c.count <= kPoints, "points of a contact", "be 0 to 4", c.count);
  }

  void check_contact(const Contact& contact) const {
    check(is_shape(contact.shape_a) && is_shape(contact.shape_b), "contact", "be of two shapes", contact.shape_a);
    const Shape &A = *world_.shapes[contact.shape_a], &B = *world_.shapes[contact.shape_b];
    check(contact.body_a == A.body && contact.body_b == B.body && A.body != B.body, "contact",
          "be of the bodies of its shapes", contact.body_a);
    check(world_.bodies[A.body].is_dynamic() || world_.bodies[B.body].is_dynamic(), "contact", "be of a dynamic body",
          contact.body_a);
    check(contact.is_sensor == (A.is_sensor || B.is_sensor), "contact", "be a sensor's if a shape is one",
          contact.shape_a);
    check(!comes_first(B, A) && (contact.list == kNone) == (contact.is_sensor || has_single_manifold(A, B)), "contact",
          "have the manifolds of its shapes", contact.shape_a);
    check_surface("contact", contact.surface);
    check(contact.manifold);
    check(contact.cache);
  }

  void read_lists() {
    world_.lists.resize(0);
    for (std::size_t count = s_.size(); count > 0; --count) {
      ManifoldList& list = world_.lists.emplace_back();
      std::vector<collision::ContactCache::Pair> pairs;
      std::vector<collision::ContactCache::Seed> seeds;
      s_(pairs, seeds, list.found, list.impulses, list.keys);
      for (const collision::ContactCache::Pair& pair : pairs) check(pair.manifold);
      for (const collision::PieceManifold& found : list.found) check(found.manifold);
      check(list.impulses.size() >= list.found.size() && list.keys.size() == list.impulses.size(), "impulses",
            "be there for each manifold", list.impulses.size());
      list.cache = {std::move(pairs), std::move(seeds)};
    }
    std::vector<std::uint8_t> used(world_.lists.size(), 0);
    const auto use = [&](std::uint32_t list) {
      check(list < used.size() && used[list] == 0, "list of manifolds", "be there once", list);
      used[list] = 1;
    };
    for (std::uint32_t i = 0; i < world_.contacts.slots(); ++i)
      if (world_.contacts.is_alive(i) && world_.contacts[i].list != kNone) use(world_.contacts[i].list);
    s_(world_.free_lists);
    for (const std::uint32_t list : world_.free_lists) use(list);
  }

  void read_awake() {
    s_(world_.awake_bodies, world_.awake_contacts);
    for (std::uint32_t i = 0; i < world_.awake_bodies.size(); ++i) {
      const std::uint32_t index = world_.awake_bodies[i];
      check(is_body(index) && world_.bodies[index].type != BodyType::Static && !world_.bodies[index].is_awake(),
            "awake bodies", "be some that can move, each once", index);
      world_.bodies[index].awake = i;
    }
    for (std::uint32_t i = 0; i < world_.awake_contacts.size(); ++i) {
      const std::uint32_t number = world_.awake_contacts[i];
      check(is_contact(number) && world_.contacts[number].awake == kNone, "awake contacts", "be there, each once",
            number);
      world_.contacts[number].awake = i;
    }
  }

  void read_islands() {
    world_.islands.resize(s_.size(sizeof(std::uint64_t)));
    for (std::uint32_t i = 0; i < world_.islands.size(); ++i) {
      std::vector<std::uint32_t> members;
      s_(members);
      std::uint32_t* next = &world_.islands[i].first;
      for (const std::uint32_t index : members) {
        check(is_body(index) && world_.bodies[index].is_dynamic() && !world_.bodies[index].is_awake() &&
                  world_.bodies[index].island == kNone,
              "sleepers", "be dynamic bodies, each once", index);
        world_.bodies[index].island = i;
        *next = index;
        next = &world_.bodies[index].next_sleeper;
      }
    }
    s_(world_.free_islands);
    std::vector<std::uint8_t> free(world_.islands.size(), 0);
    for (const std::uint32_t i : world_.free_islands) {
      check(i < free.size() && free[i] == 0 && world_.islands[i].first == kNone, "free islands", "be empty, each once",
            i);
      free[i] = 1;
    }
    for_alive(body_ids_, [&](std::uint32_t i) {
      const Body& body = world_.bodies[i];
      check(!body.is_dynamic() || body.is_awake() || body.island != kNone, "bodies", "be awake or asleep", i);
    });
  }

  void read_joints() {
    IdPoolState ids;
    s_(ids);
    world_.joint_ids = IdPool<JointTag>("joint", ids);
    world_.joints.resize(ids.alive.size());
    for_alive(ids, [&](std::uint32_t i) {
      Joint& joint = world_.joints[i];
      s_(joint);
      model::validate(joint.desc);
      check(joint.body_a != joint.body_b, "bodies of a joint", "be two different ones", joint.body_a);
      for (const std::uint32_t body : {joint.body_a, joint.body_b}) {
        check(body == kNone || is_body(body), "body of a joint", "be one of its bodies", body);
        if (body != kNone) world_.bodies[body].joints.push_back(i);
      }
      check_rows(joint);
    });
    s_(world_.awake_joints);
    for (std::uint32_t i = 0; i < world_.awake_joints.size(); ++i) {
      const std::uint32_t number = world_.awake_joints[i];
      check(number < ids.alive.size() && ids.alive[number] == 1 && world_.joints[number].awake == kNone &&
                !world_.joints[number].broken,
            "awake joints", "be there, each once", number);
      world_.joints[number].awake = i;
    }
    world_.joints_changed = true;
  }

  /// Chains come behind the ropes, in the order in which these name them first.
  void read_ropes() {
    IdPoolState ids;
    s_(ids);
    world_.rope_ids = IdPool<RopeTag>("rope", ids);
    world_.ropes.resize(ids.alive.size());
    std::vector<std::uint32_t> numbers(ids.alive.size(), 0);
    std::uint32_t chains = 0;
    for_alive(ids, [&](std::uint32_t i) {
      s_(numbers[i], world_.ropes[i].first, world_.ropes[i].count);
      check(numbers[i] <= chains, "chain of a rope", "be one of its chains", numbers[i]);
      chains = std::max(chains, numbers[i] + 1);
    });
    std::vector<std::shared_ptr<const RopeChain>> read;
    for (std::uint32_t i = 0; i < chains; ++i) read.push_back(read_chain());
    for_alive(ids, [&](std::uint32_t i) {
      world_.ropes[i].chain = read[numbers[i]];
      check_rope(world_.ropes[i]);
      mark_segments(world_, i);
    });
  }

  [[nodiscard]] std::shared_ptr<const RopeChain> read_chain() {
    auto chain = std::make_shared<RopeChain>();
    rope_fields(s_, chain->desc);
    s_(chain->segment_length, chain->bodies, chain->joints);
    model::validate(chain->desc);
    check(chain->bodies.size() >= 2 && chain->joints.size() + 1 == chain->bodies.size(), "joints of a rope",
          "be one less than its segments", chain->joints.size());
    require(chain->segment_length > 0 && std::isfinite(chain->segment_length), kObject, "segments of a rope",
            "be longer than 0", chain->segment_length);
    return chain;
  }

  void check_rope(const Rope& rope) const {
    const RopeChain& chain = *rope.chain;
    check(rope.count >= 1 && rope.first < chain.bodies.size() && rope.count <= chain.bodies.size() - rope.first,
          "segments of a rope", "be some of its chain", rope.count);
    for (std::uint32_t i = rope.first; i < rope.first + rope.count; ++i) {
      const std::uint32_t body = chain.bodies[i];
      check(is_body(body) && world_.bodies[body].is_dynamic() && world_.bodies[body].rope == kNone,
            "segments of a rope", "be dynamic bodies of no other rope", body);
      if (i + 1 == rope.first + rope.count) continue;
      const std::uint32_t joint = chain.joints[i];
      check(joint < world_.joints.size() && world_.joint_ids.is_alive(world_.joint_ids.at(joint)) &&
                !world_.joints[joint].broken && world_.joints[joint].body_a == body &&
                world_.joints[joint].body_b == chain.bodies[i + 1],
            "joints of a rope", "be between its segments", joint);
    }
  }

  /// Its impulses are those of the rows that its kind has.
  void check_rows(Joint& joint) const {
    const auto moves = [&](std::uint32_t body) { return body != kNone && world_.bodies[body].is_dynamic(); };
    check(moves(joint.body_a) || moves(joint.body_b), "bodies of a joint", "have a dynamic one", joint.body_a);
    Joint trial;
    trial.desc = joint.desc;
    constraint::JointRows rows;
    evaluate_rows(world_, trial, {}, {}, 0, rows);
    check(rows.locked == joint.locked && static_cast<std::size_t>(rows.count) == joint.impulses.size(),
          "impulses of a joint", "be those of its rows", joint.impulses.size());
    joint.has_stops = has_stops(rows);
  }

  ByteReader& s_;
  World::Data& world_;
  IdPoolState body_ids_;
  collision::SpaceState space_;
};

}  // namespace

std::vector<std::byte> write_world(const World::Data& world) {
  require(world.finite, kObject, "state", "be finite", "one that is no number any more");
  ByteWriter s;
  s(world.settings, world.time, world.steps, world.dt, world.h, world.materials, world.material_pairs);
  write_bodies(s, world);
  write_shapes(s, world);
  write_space(s, world);
  write_contacts(s, world);
  write_joints(s, world);
  write_ropes(s, world);
  write_breakables(s, world);
  s(world.ledger);
  event_fields(s, world);
  Header header;
  header.length = s.bytes().size();
  header.checksum = checksum_of(header, s.bytes());
  ByteWriter whole;
  whole(header);
  whole.append(s);
  return std::move(whole.bytes());
}

std::unique_ptr<World::Data> read_world(std::span<const std::byte> bytes) {
  require(bytes.size() >= kHeaderBytes, kObject, "length", "be at least that of a header", bytes.size());
  const std::span<const std::byte> contents = bytes.subspan(kHeaderBytes);
  ByteReader head(bytes.first(kHeaderBytes)), s(contents);
  Header header;
  head(header);
  require(header.magic == kMagic, kObject, "beginning", "be VVSNAPSH", "other bytes");
  require(header.byte_order == kByteOrder, kObject, "byte order", "be that of this machine", header.byte_order);
  require(header.version == Snapshot::kVersion, kObject, "version", fmt::format("be {}", Snapshot::kVersion),
          header.version);
  require(header.number_sizes == kNumberSizes, kObject, "sizes of numbers", "be those of this machine",
          header.number_sizes);
  require(header.length == contents.size(), kObject, "length", "be that of its contents", contents.size());
  require(header.checksum == checksum_of(header, contents), kObject, "checksum", "be that of its contents",
          header.checksum);
  WorldSettings settings;
  s(settings);
  validate(settings);
  auto world = std::make_unique<World::Data>(settings);
  StateReader(s, *world).read();
  return world;
}

}  // namespace visviva::dynamics

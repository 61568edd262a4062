// docs/scene.schema.json and the reader say the same: the same keys and words, and the same verdict on scenes.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "io/scene_joint_keys.hpp"
#include "io/scene_keys.hpp"
#include "tests/io/scene_samples.hpp"
#include "visviva/io/scene.hpp"

namespace visviva::io {
namespace {

using nlohmann::json;

const json& schema() {
  static const json document = json::parse(read_text(std::string(VISVIVA_SOURCE_DIR "/docs/scene.schema.json")));
  return document;
}
const json& definition(const std::string& name) { return schema().at("$defs").at(name); }

/// As much of JSON Schema (draft 2020-12) as the schema uses; an unknown word of it fails the test.
class SchemaChecker {
 public:
  [[nodiscard]] bool accepts(const json& value, const json& rule) const {
    for (const auto& [word, what] : rule.items())
      if (!holds(word, what, value, rule)) return false;
    return true;
  }

 private:
  [[nodiscard]] static bool has_type(const json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "number") return value.is_number();
    if (type == "integer")
      return value.is_number_integer() || (value.is_number() && value.get<double>() == std::floor(value.get<double>()));
    ADD_FAILURE() << "unknown type " << type;
    return false;
  }

  [[nodiscard]] bool holds_number(const std::string& word, double bound, double x) const {
    if (word == "minimum") return x >= bound;
    if (word == "maximum") return x <= bound;
    if (word == "exclusiveMinimum") return x > bound;
    return x < bound;  // exclusiveMaximum
  }

  [[nodiscard]] bool holds_object(const std::string& word, const json& what, const json& value,
                                  const json& rule) const {
    for (const auto& [key, entry] : value.items()) {
      const bool named = rule.contains("properties") && rule["properties"].contains(key);
      if (word == "properties" && named && !accepts(entry, what.at(key))) return false;
      if (word != "additionalProperties" || named) continue;
      if (what.is_boolean() ? !what.get<bool>() : !accepts(entry, what)) return false;
    }
    return true;
  }

  [[nodiscard]] bool holds(const std::string& word, const json& what, const json& value, const json& rule) const {
    static const std::set<std::string> ignored{"$schema", "$defs", "title", "description"};
    static const std::set<std::string> bounds{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"};
    if (ignored.count(word)) return true;
    if (word == "$ref") return accepts(value, definition(what.get<std::string>().substr(8)));  // "#/$defs/"
    if (word == "type") return has_type(value, what);
    if (word == "const") return value == what;
    if (word == "enum") return std::find(what.begin(), what.end(), value) != what.end();
    if (word == "anyOf")
      return std::any_of(what.begin(), what.end(), [&](const json& option) { return accepts(value, option); });
    if (bounds.count(word)) return !value.is_number() || holds_number(word, what.get<double>(), value.get<double>());
    if (word == "required")
      return !value.is_object() || std::all_of(what.begin(), what.end(),
                                               [&](const json& key) { return value.contains(key.get<std::string>()); });
    if (word == "properties" || word == "additionalProperties")
      return !value.is_object() || holds_object(word, what, value, rule);
    if (word == "items")
      return !value.is_array() ||
             std::all_of(value.begin(), value.end(), [&](const json& x) { return accepts(x, what); });
    if (word == "minItems") return !value.is_array() || value.size() >= what.get<std::size_t>();
    if (word == "maxItems") return !value.is_array() || value.size() <= what.get<std::size_t>();
    ADD_FAILURE() << "the checker does not know '" << word << "'";
    return false;
  }
};

bool schema_accepts(const json& scene) { return SchemaChecker().accepts(scene, schema()); }
bool reader_accepts(const json& scene) { return read_scene_text(scene.dump()).model.has_value(); }

std::set<std::string> words(scene_keys::Words list) { return {list.begin(), list.end()}; }
std::set<std::string> keys_of(const json& rule) {
  std::set<std::string> keys;
  for (const auto& [key, value] : rule.at("properties").items()) keys.insert(key);
  EXPECT_EQ(rule.at("additionalProperties"), false);
  return keys;
}
std::set<std::string> enum_of(const json& rule) {
  const json& list = rule.contains("$ref") ? definition(rule["$ref"].get<std::string>().substr(8)) : rule;
  return list.at("enum").get<std::set<std::string>>();
}

TEST(SceneSchema, HasTheKeysOfTheReader) {
  EXPECT_EQ(keys_of(schema()), words(scene_keys::kScene));
  EXPECT_EQ(keys_of(definition("stepper")), words(scene_keys::kStepper));
  EXPECT_EQ(keys_of(definition("material")), words(scene_keys::kMaterial));
  EXPECT_EQ(keys_of(definition("material_pair")), words(scene_keys::kMaterialPair));
  EXPECT_EQ(keys_of(definition("body")), words(scene_keys::kBody));
  EXPECT_EQ(keys_of(definition("generator")), words(scene_keys::kGenerator));
  EXPECT_EQ(keys_of(definition("jitter")), words(scene_keys::kJitter));
  EXPECT_EQ(keys_of(definition("breakable")), words(scene_keys::kBreakable));
  EXPECT_EQ(keys_of(definition("fracture")), words(scene_keys::kFracture));
  EXPECT_EQ(keys_of(definition("cut")), words(scene_keys::kCut));
  EXPECT_EQ(keys_of(definition("joint_generator")), words(scene_keys::kJointGenerator));
  EXPECT_EQ(keys_of(definition("rope")), words(scene_keys::kRope));
  EXPECT_EQ(keys_of(definition("rope_attachment")), words(scene_keys::kRopeAttachment));
  EXPECT_EQ(keys_of(definition("rope_cut")), words(scene_keys::kRopeCut));
  EXPECT_EQ(keys_of(definition("joint_frame")), words(scene_keys::kJointFrame));
  EXPECT_EQ(keys_of(definition("limit").at("anyOf")[1]), words(scene_keys::kLimit));
  EXPECT_EQ(keys_of(definition("motor")), words(scene_keys::kMotor));
  EXPECT_EQ(keys_of(definition("axis")), words(scene_keys::kAxis));
  EXPECT_EQ(keys_of(definition("axis_of_six_dof")), words(scene_keys::kAxisOfSixDof));
  EXPECT_EQ(keys_of(definition("rotation").at("anyOf")[1]), words(scene_keys::kAxisAngle));
  EXPECT_EQ(keys_of(definition("rotation").at("anyOf")[2]), words(scene_keys::kRotationMatrix));
}

/// Keys of one kind, of those of all kinds and its own.
template <class Kinds, class Common, class Own>
void expect_kinds(const char* name, const Kinds& known, const Common& common, const Own& own) {
  std::set<std::string> kinds;
  for (const json& option : definition(name).at("anyOf")) {
    const json& rule = definition(option.at("$ref").get<std::string>().substr(8));
    const std::string kind = rule.at("properties").at("kind").at("const");
    kinds.insert(kind);
    const auto found = std::find(known.begin(), known.end(), kind);
    ASSERT_NE(found, known.end()) << kind;
    std::set<std::string> keys = words(common);
    for (const std::string_view key : own[static_cast<std::size_t>(found - known.begin())].words())
      keys.insert(std::string(key));
    EXPECT_EQ(keys_of(rule), keys) << kind;
  }
  EXPECT_EQ(kinds, words(known));
}

TEST(SceneSchema, HasTheShapesAndJointsOfTheReader) {
  expect_kinds("shape", scene_keys::kShapeKinds, scene_keys::kShape, scene_keys::kShapeKeys);
  expect_kinds("joint", scene_keys::kJointKinds, scene_keys::kJoint, scene_keys::kJointKeys);
}

TEST(SceneSchema, HasTheWordsOfTheReader) {
  const json& stepper = definition("stepper").at("properties");
  EXPECT_EQ(enum_of(stepper.at("kind")), words(scene_keys::kStepperKinds));
  EXPECT_EQ(enum_of(stepper.at("flow")), words(scene_keys::kFlows));
  EXPECT_EQ(enum_of(stepper.at("retraction")), words(scene_keys::kRetractions));
  EXPECT_EQ(enum_of(definition("motor").at("properties").at("kind")), words(scene_keys::kMotorKinds));
  EXPECT_EQ(enum_of(definition("axis_of_six_dof").at("properties").at("motion")), words(scene_keys::kAxisMotions));
  EXPECT_EQ(enum_of(definition("joint_solver")), words(scene_keys::kJointSolvers));
  EXPECT_EQ(enum_of(stepper.at("on_zeno")), words(scene_keys::kOnZeno));
  EXPECT_EQ(enum_of(definition("body").at("properties").at("locked").at("items")), words(scene_keys::kLockedAxes));
  EXPECT_EQ(enum_of(definition("generator").at("properties").at("random")), words(scene_keys::kRandoms));
  EXPECT_EQ(enum_of(definition("material").at("properties").at("law")), words(scene_keys::kLaws));
  EXPECT_EQ(enum_of(definition("material").at("properties").at("friction_rule")), words(scene_keys::kRules));
  EXPECT_EQ(enum_of(definition("body").at("properties").at("type")), words(scene_keys::kBodyTypes));
  EXPECT_EQ(enum_of(definition("generator").at("properties").at("choose")), words(scene_keys::kChoices));
}

TEST(SceneSchema, IncludedFilesHaveKeysOfScenes) {
  for (const std::string_view key : scene_keys::kIncluded)
    EXPECT_NE(std::find(scene_keys::kScene.begin(), scene_keys::kScene.end(), key), scene_keys::kScene.end()) << key;
}

TEST(ShippedScenes, AreAcceptedBySchemaAndReaderAndSayWhatTheyShow) {
  const auto paths = shipped_scenes();
  EXPECT_GE(paths.size(), 15u);
  for (const auto& path : paths) {
    const SceneResult result = read_scene(path.string());
    EXPECT_TRUE(result.model) << path << "\n" << text_of(result.faults);
    EXPECT_FALSE(result.description.empty()) << path;
    EXPECT_EQ(result.description.find('\n'), std::string::npos) << path;
    EXPECT_TRUE(schema_accepts(json::parse(read_text(path), nullptr, true, true))) << path;
  }
}

TEST(ShippedScenes, CasesOfTheTextHaveTheirNumbers) {
  const auto read = [](const std::string& name) {
    const SceneResult result = read_scene(std::string(VISVIVA_SOURCE_DIR "/scenes/lgvci/") + name + ".json");
    EXPECT_TRUE(result.model) << text_of(result.faults);
    return *result.model;
  };
  for (const char* name : {"case1", "case2", "case3", "case3_printed", "case4"}) {
    const model::Model m = read(name);
    EXPECT_EQ(m.duration, 1000);
    EXPECT_EQ(m.stepper.dt(), 0.01);
    const model::SurfacePair pair = surface_pair(m, m.bodies[0].shapes[0].material, m.bodies[1].shapes[0].material);
    EXPECT_EQ(pair.friction, 0);
    EXPECT_EQ(pair.restitution, 1);
    EXPECT_EQ(m.bodies[1].mass * m.bodies[1].velocity, Vec3(2, 2, 10));
    EXPECT_TRUE((m.bodies[1].inertia * m.bodies[1].angular_velocity).isApprox(Vec3(4, -4, 4), 1e-15));
  }
  // Tilted by -pi/90 about y: n = (sin, 0, cos).
  const Real angle = -3.14159265358979323846 / 90;
  EXPECT_TRUE(read("case2").bodies[0].shapes[0].solid.plane()->normal.isApprox(
      Vec3(std::sin(angle), 0, std::cos(angle)), 1e-15));
  EXPECT_EQ(read("case4").bodies[1].shapes[0].solid.placed()->rounding, 1e-13);
}

TEST(ShippedScenes, MassOfCaseThreeIsThatOfItsShape) {
  // The corrected numbers of the case are the body's own; the printed ones are not.
  const auto difference = [](const std::string& name) {
    const SceneResult result = read_scene(std::string(VISVIVA_SOURCE_DIR "/scenes/lgvci/") + name + ".json");
    EXPECT_TRUE(result.model);
    const model::BodyDesc& given = result.model->bodies[1];
    model::BodyDesc computed = given;
    set_mass_from_shapes(computed, given.mass);
    return std::max((computed.inertia - given.inertia).cwiseAbs().maxCoeff(),
                    (computed.center_of_mass - given.center_of_mass).cwiseAbs().maxCoeff());
  };
  EXPECT_LE(difference("case3"), 2e-8);
  EXPECT_GE(difference("case3_printed"), 1e-4);
}

/// A ball for each name, of different places.
json bodies_of(const json& joints) {
  std::set<std::string> names;
  for (const json& joint : joints)
    for (const json& name : joint.at("bodies"))
      if (name != "world") names.insert(name);
  json bodies = json::array();
  for (const std::string& name : names)
    bodies.push_back({{"name", name}, {"position", {bodies.size(), 0, 2}}, {"mass", 1}, {"inertia", {1, 1, 1}}});
  return bodies;
}

TEST(SceneFormatPage, ShowsExamplesThatCanBeRead) {
  const std::string page = read_text(std::string(VISVIVA_SOURCE_DIR "/docs/scene_format.md"));
  int read = 0;
  const std::string fence = "```json\n";
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at + 1)) {
    const std::string block = page.substr(at + fence.size(), page.find("```", at + 3) - at - fence.size());
    if (block.find("\"include\"") == 0) continue;  // there are no such files here
    json scene = block[0] == '"' ? json::parse("{" + block + "}") : json::parse(block);
    if (block[0] == '{' && !scene.contains("visviva")) scene = json{{"bodies", json::array({scene})}};
    if (scene.contains("joints") && !scene.contains("bodies")) scene["bodies"] = bodies_of(scene["joints"]);
    scene["visviva"] = 1;
    if (!scene.contains("materials")) scene["materials"]["steel"] = json::object();
    if (!scene.contains("prefabs"))
      scene["prefabs"]["brick"] = json::parse(R"({"shapes": [{"kind": "sphere", "radius": 1}]})");
    EXPECT_TRUE(schema_accepts(scene)) << block;
    EXPECT_TRUE(reader_accepts(scene)) << block << text_of(read_scene_text(scene.dump()).faults);
    ++read;
  }
  EXPECT_EQ(read, 13);
}

TEST(SceneFormatPage, NamesEveryKey) {
  const std::string page = read_text(std::string(VISVIVA_SOURCE_DIR "/docs/scene_format.md"));
  const auto names = [&](scene_keys::Words keys) {
    for (const std::string_view key : keys)
      EXPECT_TRUE(page.find("`" + std::string(key) + "`") != std::string::npos ||
                  page.find("\"" + std::string(key) + "\"") != std::string::npos)
          << key;
  };
  for (const scene_keys::Words keys :
       {scene_keys::Words(scene_keys::kScene),          scene_keys::Words(scene_keys::kStepper),
        scene_keys::Words(scene_keys::kMaterial),       scene_keys::Words(scene_keys::kBody),
        scene_keys::Words(scene_keys::kMaterialPair),   scene_keys::Words(scene_keys::kGenerator),
        scene_keys::Words(scene_keys::kJitter),         scene_keys::Words(scene_keys::kBreakable),
        scene_keys::Words(scene_keys::kFracture),       scene_keys::Words(scene_keys::kCut),
        scene_keys::Words(scene_keys::kJoint),          scene_keys::Words(scene_keys::kShape),
        scene_keys::Words(scene_keys::kShapeKinds),     scene_keys::Words(scene_keys::kJointKinds),
        scene_keys::Words(scene_keys::kJointGenerator), scene_keys::Words(scene_keys::kLimit),
        scene_keys::Words(scene_keys::kMotor),          scene_keys::Words(scene_keys::kAxisOfSixDof),
        scene_keys::Words(scene_keys::kMotorKinds),     scene_keys::Words(scene_keys::kAxisMotions),
        scene_keys::Words(scene_keys::kJointSolvers),   scene_keys::Words(scene_keys::kRope),
        scene_keys::Words(scene_keys::kRopeAttachment), scene_keys::Words(scene_keys::kRopeCut)})
    names(keys);
  for (const scene_keys::ShapeKeys& keys : scene_keys::kShapeKeys) names(keys.words());
  for (const scene_keys::JointKeys& keys : scene_keys::kJointKeys) names(keys.words());
}

/// Places of the document, by pointer.
void collect(const json& value, const json::json_pointer& at, std::vector<json::json_pointer>& places) {
  places.push_back(at);
  if (value.is_object())
    for (const auto& [key, child] : value.items()) collect(child, at / key, places);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], at / i, places);
}

/// Places of a scene that are tried, about.
constexpr std::size_t kMostPlaces = 150;

TEST(SceneSchema, RefusesWhatHasAKeyOrAKindTooMany) {
  for (const auto& path : shipped_scenes()) {
    if (path.stem() == "box_of_200_lossy") continue;         // as box_of_200
    if (path.parent_path().filename() == "bench") continue;  // slow
    const json scene = json::parse(read_text(path), nullptr, true, true);
    std::vector<json::json_pointer> places;
    collect(scene, json::json_pointer(), places);
    // Of large scenes, most of which is the numbers of meshes, every so many places.
    const std::size_t stride = 1 + places.size() / kMostPlaces;
    for (std::size_t i = 0; i < places.size(); i += stride) {
      const json::json_pointer& place = places[i];
      json changed = scene;
      json& value = changed[place];
      if (value.is_object() && place.to_string() != "/materials" && place.to_string() != "/prefabs")
        value["no_such_key"] = 1;
      else if (value.is_number() || value.is_array())
        value = "a word";
      else if (value.is_string() && place.back() == "kind")
        value = "no_such_word";
      else
        continue;
      EXPECT_FALSE(schema_accepts(changed)) << path << " " << place;
      EXPECT_FALSE(reader_accepts(changed)) << path << " " << place;
    }
  }
}

TEST(SceneSchema, AcceptsWhateverTheReaderAccepts) {
  // Numbers and words of the scenes, exchanged at random: what the reader takes, the schema must take too.
  std::mt19937_64 random(11);
  int accepted = 0;
  for (const auto& path : shipped_scenes()) {
    const json scene = json::parse(read_text(path), nullptr, true, true);
    if (path.stem().string().rfind("box_of", 0) == 0) continue;  // slow, and nothing new
    if (path.parent_path().filename() == "bench") continue;      // likewise
    std::vector<json::json_pointer> places;
    collect(scene, json::json_pointer(), places);
    const int rounds = places.size() > 10 * kMostPlaces ? 10 : 100;
    for (int round = 0; round < rounds; ++round) {
      json changed = scene;
      changed[places[random() % places.size()]] = scene[places[random() % places.size()]];
      if (!reader_accepts(changed)) continue;
      ++accepted;
      EXPECT_TRUE(schema_accepts(changed)) << changed.dump();
    }
  }
  EXPECT_GE(accepted, 300);
}

}  // namespace
}  // namespace visviva::io

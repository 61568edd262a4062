#include "io/hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace visviva::io {

namespace {

std::recursive_mutex& hdf5_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// Keeps the first description, which is the innermost; of one that quotes the operating system only the quote.
herr_t keep_reason(unsigned, const H5E_error2_t* error, void* data) {
  auto& reason = *static_cast<std::string*>(data);
  if (!reason.empty() || error->desc == nullptr) return 0;
  const std::string_view text = error->desc;
  constexpr std::string_view kQuote = "error message = '";
  const std::size_t begin = text.find(kQuote);
  const std::size_t end = begin == std::string_view::npos ? begin : text.find('\'', begin + kQuote.size());
  reason = end == std::string_view::npos ? text : text.substr(begin + kQuote.size(), end - begin - kQuote.size());
  return 0;
}

Hdf5Handle make_space(const Extents& extents, const Extents& limits = {}) {
  if (extents.empty()) return {H5Screate(H5S_SCALAR), H5Sclose, "make a data space"};
  return {H5Screate_simple(static_cast<int>(extents.size()), extents.data(), limits.empty() ? nullptr : limits.data()),
          H5Sclose, "make a data space"};
}

/// Selects rows of a dataset, and gives the file's and the memory's data space.
std::pair<Hdf5Handle, Hdf5Handle> select_rows(hid_t dataset, hsize_t first, hsize_t count) {
  Extents extents = extents_of(dataset);
  Hdf5Handle file_space(H5Dget_space(dataset), H5Sclose, "ask for a data space");
  Extents start(extents.size(), 0);
  start[0] = first;
  extents[0] = count;
  check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, extents.data(), nullptr),
        "select rows");
  return {std::move(file_space), make_space(extents)};
}

/// Text between the ends of a buffer of fixed size, without the padding.
std::string unpadded(const char* text, std::size_t bytes) {
  while (bytes > 0 && text[bytes - 1] == '\0') --bytes;
  return {text, bytes};
}

/// Size of a string type [bytes]; throws for anything else, strings of variable length too.
std::size_t string_size(hid_t type, const char* name) {
  const htri_t variable = H5Tget_class(type) == H5T_STRING ? H5Tis_variable_str(type) : 1;
  if (variable != 0) throw Hdf5Error(fmt::format("'{}' is not text of fixed length", name));
  return H5Tget_size(type);
}

}  // namespace

Hdf5Scope::Hdf5Scope() : lock_(hdf5_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Scope::~Hdf5Scope() {
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
}

void throw_hdf5_error(std::string_view what) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, &reason);
  H5Eclear2(H5E_DEFAULT);
  throw Hdf5Error(fmt::format("cannot {} ({})", what, reason.empty() ? "HDF5 gives no reason" : reason));
}

Hdf5Handle create_group(hid_t parent, const char* name) {
  return {H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "create a group"};
}

Hdf5Handle string_type(std::size_t bytes) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a text type");
  check(H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1)), "make a text type");
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "make a text type");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "make a text type");
  return type;
}

Hdf5Handle enum_type(const std::vector<const char*>& names) {
  Hdf5Handle type(H5Tenum_create(H5T_STD_U8LE), H5Tclose, "make an enumeration");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto value = static_cast<unsigned char>(i);
    check(H5Tenum_insert(type.get(), names[i], &value), "make an enumeration");
  }
  return type;
}

void write_dataset(hid_t parent, const char* name, hid_t file_type, hid_t memory_type, const Extents& extents,
                   const void* values) {
  const Hdf5Handle space = make_space(extents);
  const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make properties");
  // Room is taken at once: what is written later in place moves nothing else.
  check(H5Pset_alloc_time(properties.get(), H5D_ALLOC_TIME_EARLY), "make properties");
  const Hdf5Handle dataset(H5Dcreate2(parent, name, file_type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                           H5Dclose, "create a dataset");
  const bool is_empty = std::find(extents.begin(), extents.end(), hsize_t{0}) != extents.end();
  if (!is_empty) check(H5Dwrite(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write a dataset");
}

void write_strings(hid_t parent, const char* name, const std::vector<std::string>& values) {
  std::size_t size = 1;
  for (const std::string& value : values) size = std::max(size, value.size());
  std::string padded(values.size() * size, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) std::copy(values[i].begin(), values[i].end(), &padded[i * size]);
  const Hdf5Handle type = string_type(size);
  write_dataset(parent, name, type.get(), type.get(), {values.size()}, padded.data());
}

void write_attribute(hid_t object, const char* name, hid_t file_type, hid_t memory_type, const Extents& extents,
                     const void* values) {
  const Hdf5Handle space = make_space(extents);
  const Hdf5Handle attribute(H5Acreate2(object, name, file_type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                             "create an attribute");
  check(H5Awrite(attribute.get(), memory_type, values), "write an attribute");
}

void write_string_attribute(hid_t object, const char* name, std::string_view value) {
  const Hdf5Handle type = string_type(value.size());
  const std::string text(value);  // at least the closing NUL, if it is empty
  write_attribute(object, name, type.get(), type.get(), {}, text.c_str());
}

void create_growing(hid_t parent, const char* name, hid_t file_type, const Extents& row, hsize_t chunk_rows) {
  Extents extents = {0}, limits = {H5S_UNLIMITED}, chunk = {chunk_rows};
  for (const hsize_t n : row) {
    extents.push_back(n);
    limits.push_back(n);
    chunk.push_back(n);
  }
  const Hdf5Handle space = make_space(extents, limits);
  const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make properties");
  check(H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()), "make properties");
  const Hdf5Handle dataset(H5Dcreate2(parent, name, file_type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                           H5Dclose, "create a dataset");
}

void append_rows(hid_t dataset, hid_t memory_type, hsize_t present, hsize_t count, const void* values) {
  if (count == 0) return;
  Extents extents = extents_of(dataset);
  extents[0] = present + count;
  check(H5Dset_extent(dataset, extents.data()), "extend a dataset");
  const auto [file_space, memory_space] = select_rows(dataset, present, count);
  check(H5Dwrite(dataset, memory_type, memory_space.get(), file_space.get(), H5P_DEFAULT, values),
        "append to a dataset");
}

Hdf5Handle open_group(hid_t parent, const char* name) {
  return {H5Gopen2(parent, name, H5P_DEFAULT), H5Gclose, fmt::format("open group '{}'", name)};
}

Hdf5Handle open_dataset(hid_t parent, const char* name) {
  return {H5Dopen2(parent, name, H5P_DEFAULT), H5Dclose, fmt::format("open dataset '{}'", name)};
}

Extents extents_of(hid_t dataset) {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose, "ask for a data space");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0) throw_hdf5_error("ask for extents");
  Extents extents(static_cast<std::size_t>(rank));
  if (H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr) < 0) throw_hdf5_error("ask for extents");
  return extents;
}

void require_extents(hid_t dataset, const char* name, const Extents& wanted) {
  const Extents extents = extents_of(dataset);
  const bool fits =
      extents.size() == wanted.size() && std::equal(extents.begin(), extents.end(), wanted.begin(),
                                                    [](hsize_t is, hsize_t want) { return want == 0 || is == want; });
  if (!fits)
    throw Hdf5Error(fmt::format("'{}' has extents ({}), wanted are ({}), 0 for any number", name,
                                fmt::join(extents, ", "), fmt::join(wanted, ", ")));
}

void require_size(const char* name, hsize_t bytes) {
  constexpr hsize_t kMaxBytes = hsize_t{1} << 31;
  if (bytes > kMaxBytes) throw Hdf5Error(fmt::format("'{}' claims {} bytes", name, bytes));
}

std::vector<std::string> read_strings(hid_t parent, const char* name) {
  const Hdf5Handle dataset = open_dataset(parent, name);
  require_extents(dataset.get(), name, {0});
  const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose, "ask for a type");
  const std::size_t size = string_size(type.get(), name);
  const hsize_t count = extents_of(dataset.get())[0];
  require_size(name, count);
  require_size(name, count * size);
  std::string padded(static_cast<std::size_t>(count) * size, '\0');
  read_rows(dataset.get(), type.get(), 0, count, padded.data());
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(unpadded(&padded[i * size], size));
  return values;
}

std::string read_string_attribute(hid_t object, const char* name) {
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, fmt::format("open attribute '{}'", name));
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose, "ask for a type");
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose, "ask for a data space");
  const std::size_t size = string_size(type.get(), name);
  if (H5Sget_simple_extent_npoints(space.get()) != 1) throw Hdf5Error(fmt::format("'{}' is not one text", name));
  std::string padded(size, '\0');
  check(H5Aread(attribute.get(), type.get(), padded.data()), fmt::format("read attribute '{}'", name));
  return unpadded(padded.data(), size);
}

void read_attribute(hid_t object, const char* name, hid_t memory_type, hsize_t count, void* values) {
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, fmt::format("open attribute '{}'", name));
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose, "ask for a data space");
  const hssize_t present = H5Sget_simple_extent_npoints(space.get());
  if (present < 0 || static_cast<hsize_t>(present) != count)
    throw Hdf5Error(fmt::format("attribute '{}' has {} values, wanted are {}", name, present, count));
  check(H5Aread(attribute.get(), memory_type, values), fmt::format("read attribute '{}'", name));
}

void read_rows(hid_t dataset, hid_t memory_type, hsize_t first, hsize_t count, void* values) {
  if (count == 0) return;
  const auto [file_space, memory_space] = select_rows(dataset, first, count);
  check(H5Dread(dataset, memory_type, memory_space.get(), file_space.get(), H5P_DEFAULT, values), "read rows");
}

}  // namespace visviva::io

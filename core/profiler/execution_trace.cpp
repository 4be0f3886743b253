#include "core/profiler/execution_trace.h"

#include "core/formats/json_writer.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kSchema = "1.1.1-chakra.0.0.4";
constexpr size_t kProcess = 1;
constexpr size_t kThread = 2;
constexpr size_t kFirstNode = 3;

class Writer {
 public:
  explicit Writer(const EventRecorder& recorder) : recorder_(recorder), json_(text_) {}

  std::string text() {
    {
      const auto trace = json_.object();
      json_.field("schema", kSchema);
      json_.field("pid", 1);
      json_.field("time", "1970-01-01 00:00:00");
      json_.field("start_ts",
                  recorder_.event_count() == 0 ? 0 : recorder_.event(0).start_ns / 1000000);
      {
        const auto nodes = json_.array("nodes");
        write_root(kThread, "[pytorch|profiler|execution_trace|thread]", 1);
        for (const size_t event : in_order_of_ends()) write_node(event);
        write_root(kProcess, "[pytorch|profiler|execution_trace|process]", 0);
      }
      int64_t end = 0;
      for (size_t i = 0; i < recorder_.event_count(); ++i)
        end = std::max(end, recorder_.event(i).end_ns);
      json_.field("finish_ts", end / 1000000);
    }
    return std::move(text_);
  }

 private:
  // A node is written when it ends: after those that ran in it.
  std::vector<size_t> in_order_of_ends() const {
    std::vector<size_t> order;
    std::vector<size_t> open;
    for (size_t i = 0; i < recorder_.event_count(); ++i) {
      while (!open.empty() && static_cast<int64_t>(open.back()) != recorder_.event(i).parent) {
        order.push_back(open.back());
        open.pop_back();
      }
      open.push_back(i);
    }
    order.insert(order.end(), open.rbegin(), open.rend());
    return order;
  }

  void write_root(size_t id, std::string_view name, size_t depends_on) {
    const auto node = json_.object();
    json_.field("id", id);
    json_.field("name", name);
    json_.field("ctrl_deps", depends_on);
    write_values("inputs", {});
    write_values("outputs", {});
    write_attributes(0, 7, "");
  }

  void write_node(size_t number) {
    const RecordedEvent& event = recorder_.event(number);
    const auto node = json_.object();
    json_.field("id", number + kFirstNode);
    json_.field("name", event.name);
    json_.field("ctrl_deps",
                event.parent < 0 ? kThread : static_cast<size_t>(event.parent) + kFirstNode);
    write_values("inputs", event.inputs);
    write_values("outputs", outputs_of(event));
    const int scope = event.op == nullptr ? 7 : 0;
    write_attributes(number + 1, scope, event.op == nullptr ? "" : event.op->schema.text);
  }

  // Each tensor that the operator returned.
  static std::vector<RecordedInput> outputs_of(const RecordedEvent& event) {
    std::vector<RecordedInput> outputs;
    const Value& result = event.result.value;
    if (result.is_tensor()) outputs.push_back(event.result);
    size_t at = 0;
    for (size_t i = 0; result.is(Value::Tag::kList) && i < result.size(); ++i) {
      if (result[i].is_tensor())
        outputs.push_back({result[i], event.result.metas.subspan(at++, 1)});
    }
    return outputs;
  }

  void write_values(std::string_view name, std::span<const RecordedInput> values) {
    const auto object = json_.object(name);
    {
      const auto list = json_.array("values");
      for (const RecordedInput& each : values) write_value(each);
    }
    {
      const auto list = json_.array("shapes");
      for (const RecordedInput& each : values)
        write_geometry(each, [](const TensorMeta& meta) { return meta.sizes(); });
    }
    {
      const auto list = json_.array("types");
      for (const RecordedInput& each : values) json_.value(type_of(each));
    }
    const auto list = json_.array("strides");
    for (const RecordedInput& each : values)
      write_geometry(each, [](const TensorMeta& meta) { return meta.strides(); });
  }

  static bool is_one_tensor(const RecordedInput& input) {
    return !input.value.is(Value::Tag::kList) && input.metas.size() == 1;
  }

  void write_tensor(const Tensor& tensor, const TensorMeta& meta) {
    const auto list = json_.array();
    json_.value(tensor.id);
    json_.value(tensor.storage == nullptr ? 0 : tensor.storage->id);
    json_.value(hint(meta.offset()).value_or(0));
    json_.value(hint(meta.numel()).value_or(0));
    json_.value(itemsize(meta.dtype()));
    std::string device;
    append_text(device, meta.device());
    json_.value(device);
  }

  void write_value(const RecordedInput& input) {
    const Value& value = input.value;
    if (is_one_tensor(input)) return write_tensor(value.tensor(), *input.metas[0]);
    if (!input.metas.empty()) {
      const auto list = json_.array();
      size_t at = 0;
      for (const Value& each : value.values()) {
        if (each.is_tensor()) write_tensor(each.tensor(), *input.metas[at++]);
      }
      return;
    }
    if (value.is_list()) {
      const auto list = json_.array();
      for (size_t i = 0; i < value.size(); ++i) write_value({value[i], {}});
      return;
    }
    write_scalar(value);
  }

  void write_scalar(const Value& value) {
    switch (value.tag()) {
      case Value::Tag::kBool:
        return json_.value(!value.is_symbolic() && value.to_bool());
      case Value::Tag::kInt:
        return json_.value(hint(value.as_sym_int()).value_or(0));
      case Value::Tag::kFloat:
        return json_.value(value.as_double());
      case Value::Tag::kDType:
        return json_.value(static_cast<int>(value.dtype()));
      case Value::Tag::kLayout:
        return json_.value(static_cast<int>(value.layout()));
      case Value::Tag::kMemoryFormat:
        return json_.value(static_cast<int>(value.memory_format()));
      case Value::Tag::kString:
        return json_.value(value.text());
      case Value::Tag::kDevice: {
        std::string device;
        append_text(device, value.device());
        return json_.value(device);
      }
      default:
        return json_.value("<None>");
    }
  }

  template <typename Dimensions>
  void write_geometry(const RecordedInput& input, const Dimensions& dimensions) {
    const auto write_dims = [&](const TensorMeta& meta) {
      const auto list = json_.array();
      for (const SymInt each : dimensions(meta)) json_.value(hint(each).value_or(-1));
    };
    if (is_one_tensor(input)) return write_dims(*input.metas[0]);
    const auto list = json_.array();
    for (const TensorMeta* meta : input.metas) write_dims(*meta);
    const bool is_plain_list = input.metas.empty() && input.value.is_list();
    for (size_t i = 0; is_plain_list && i < input.value.size(); ++i) {
      const auto none = json_.array();
    }
  }

  static std::string type_of(const RecordedInput& input) {
    if (is_one_tensor(input)) return format("Tensor({})", cpp_type(input.metas[0]->dtype()));
    if (input.value.is_list()) {
      std::string type = "GenericList[";
      const size_t count = input.metas.empty() ? input.value.size() : input.metas.size();
      for (size_t i = 0; i < count; ++i) {
        if (i != 0) type += ',';
        type += input.metas.empty() ? scalar_type(input.value[i])
                                    : format("Tensor({})", cpp_type(input.metas[i]->dtype()));
      }
      return type + "]";
    }
    return scalar_type(input.value);
  }
  static std::string scalar_type(const Value& value) {
    switch (value.tag()) {
      case Value::Tag::kBool:
        return "Bool";
      case Value::Tag::kInt:
      case Value::Tag::kDType:
      case Value::Tag::kLayout:
      case Value::Tag::kMemoryFormat:
        return "Int";
      case Value::Tag::kFloat:
        return "Double";
      case Value::Tag::kString:
        return "String";
      case Value::Tag::kDevice:
        return "Device";
      default:
        return "None";
    }
  }

  void write_attributes(size_t record_function, int scope, std::string_view schema) {
    const auto list = json_.array("attrs");
    attribute("rf_id", "uint64", record_function);
    attribute("fw_parent", "uint64", 0);
    attribute("seq_id", "int64", -1);
    attribute("scope", "uint64", scope);
    attribute("tid", "uint64", 1);
    attribute("fw_tid", "uint64", 0);
    attribute("op_schema", "string", schema);
    attribute("kernel_backend", "string", "");
    attribute("kernel_file", "string", "");
    attribute("tensor_range", "string", "");
  }
  template <typename T>
  void attribute(std::string_view name, std::string_view type, const T& value) {
    const auto object = json_.object();
    json_.field("name", name);
    json_.field("type", type);
    json_.field("value", value);
  }

  const EventRecorder& recorder_;
  std::string text_;
  JsonWriter json_;
};

}  // namespace

std::string ExecutionTraceObserver::text() const { return Writer(recorder_).text(); }

}  // namespace faketensor

// `faketensor fits FILE`: which devices a program fits, and up to which batch.
#include "core/analysis/fit_devices.h"
#include "core/command/fits_context.h"
#include "core/command/fits_parallel.h"
#include "core/command/memory_training.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/command/text_table.h"
#include "core/command/value_text.h"
#include "core/devices/presets.h"
#include "core/formats/json_writer.h"
#include "core/io/device_json.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// Those of --target, else all that have a name.
std::vector<DeviceModel> devices_of(const Options& options, CommandIo& io) {
  std::vector<DeviceModel> devices;
  for (const std::string& target : options.all("--target"))
    devices.push_back(open_hardware(target, io));
  if (!devices.empty()) return devices;
  for (const Preset& preset : device_presets()) devices.push_back(*device_preset(preset.name));
  return devices;
}

[[noreturn]] void refuse_over(const std::string& text) {
  throw_error(ErrorKind::kUsage,
              format("--over takes DIM or DIM=N..M, as in --over batch=1..64, not '{}'", text));
}

// "batch", "x.1=1..64": a range is also the sizes whose peaks are printed, each twice the last.
void read_over(const std::string& text, FitQuestion& question) {
  const size_t equals = text.rfind('=');
  question.over = text.substr(0, equals);
  if (question.over.empty()) refuse_over(text);
  if (equals == std::string::npos) return;
  const std::string_view range = std::string_view(text).substr(equals + 1);
  const size_t dots = range.find("..");
  if (dots == std::string_view::npos) refuse_over(text);
  const std::optional<int64_t> lower = parse_size(range.substr(0, dots));
  const std::optional<int64_t> upper = parse_size(range.substr(dots + 2));
  if (!lower || !upper || *lower < 1 || *upper < *lower || *upper > SizeRange::kMost)
    refuse_over(text);
  question.range = {*lower, *upper};
  for (int64_t size = *lower; size < *upper; size *= 2) question.sizes.push_back(size);
  question.sizes.push_back(*upper);
}

std::string largest_text(const Largest& largest) {
  if (largest.size == 0) return "none";
  const std::string size = format("{}", largest.size);
  if (largest.stop == Largest::Stop::kMemory) return size;
  return largest.stop == Largest::Stop::kRange ? size + " or more" : size + ", more are refused";
}

class FitPrinter {
 public:
  FitPrinter(const Program& program, const FitQuestion& question, const FitAnswer& answer,
             BufferedOut& out)
      : program_(program), question_(question), answer_(answer), out_(out) {}

  void print() {
    if (question_.training)
      line(format("a training step with {}, after the first",
                  kOptimizers[static_cast<size_t>(question_.training->optimizer)]));
    print_devices();
    if (!answer_.peaks.empty()) print_peaks();
    line("");
    line("Peak: bytes of storages, all devices together. Usable: the device's memory less what no");
    line(
        "program is offered and what CUDA's context takes (an estimate). Not counted: workspaces "
        "of");
    const std::string_view uncounted =
        "libraries, other processes, what the caching allocator rounds and fragments";
    if (question_.allocator) {
      line("libraries, other processes. Reserved: by PyTorch's caching allocator, which decides.");
    } else {
      line(format("{}{}", uncounted, question_.training ? "." : " (--allocator)."));
    }
  }

 private:
  void print_devices() {
    const bool has_size = !question_.over.empty();
    std::vector<std::string> head = {"target", ">memory", ">usable", ">peak"};
    if (question_.allocator) head.push_back(">reserved");
    head.insert(head.end(), {"fits", ">headroom"});
    if (has_size) {
      line(answer_.size > 0 ? format("{} is {}", question_.over, answer_.size) : question_.over);
      head.push_back(">largest " + question_.over);
    }
    TextTable table(std::move(head));
    for (const FitRow& row : answer_.rows) {
      std::vector<std::string> cells = {row.device.name, bytes_text(row.device.hardware->memory),
                                        bytes_text(row.usable())};
      if (row.peak) {
        cells.push_back(bytes_text(row.peak->bytes));
        if (question_.allocator) cells.push_back(row.reserved ? bytes_text(*row.reserved) : "-");
        cells.insert(cells.end(), {row.fits ? "yes" : "no", headroom(row)});
      } else {
        if (question_.allocator) cells.push_back("-");
        cells.insert(cells.end(), {"errors", "-", "-"});
      }
      if (has_size) cells.push_back(row.largest ? largest_text(*row.largest) : "-");
      table.add(std::move(cells));
    }
    table.print(out_);
  }

  std::string headroom(const FitRow& row) const {
    if (question_.allocator && !row.reserved) return "-";
    const int64_t bytes = row.headroom();
    return bytes < 0 ? "-" + bytes_text(-bytes) : bytes_text(bytes);
  }

  void print_peaks() {
    line(format("peaks on {}", answer_.rows[0].device.name));
    TextTable table({">" + question_.over, ">peak", "at"});
    for (const auto& [size, peak] : answer_.peaks) {
      if (peak) {
        table.add({format("{}", size), bytes_text(peak->bytes), place_text(*peak)});
      } else {
        table.add({format("{}", size), "errors", ""});
      }
    }
    table.print(out_, "  ");
  }

  std::string place_text(const PeakBySize::Peak& peak) const {
    const std::string_view node =
        peak.row == kNoRow ? std::string_view() : program_.plan().name_of(peak.row);
    if (!peak.phase) return std::string(node);
    return node.empty() ? std::string(name(*peak.phase))
                        : format("{} of {}", name(*peak.phase), node);
  }

  void line(std::string_view text) {
    out_.text() += text;
    out_.line_done();
  }

  const Program& program_;
  const FitQuestion& question_;
  const FitAnswer& answer_;
  BufferedOut& out_;
};

int fits_command(const Options& options, CommandIo& io) {
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "fits takes one file");
  if (asks_for_gpus(options)) return fits_on_gpus(options, io);
  if (asks_for_context(options)) return fits_context(options, devices_of(options, io), io);
  const std::string form = options.choice("--format", {"text", "json"});
  FitQuestion question;
  question.options = propagate_options(options, io);
  const std::optional<std::string> over = options.get("--over");
  if (over) read_over(*over, question);
  question.allocator = options.get("--allocator");
  if (question.allocator) allocator_config(*question.allocator);  // refuses what PyTorch refuses
  question.training = training_options(options);
  const std::vector<DeviceModel> devices = devices_of(options, io);
  const Program program = open_model(options.positional()[0], options, io);
  if (!over && !has_dim(program, question.over)) question.over.clear();
  const FitAnswer answer = fit_devices(program, question, devices);
  BufferedOut out(io);
  if (form == "json") {
    JsonWriter json(out.text());
    write_fits(json, program, question, answer);
    out.line_done();
  } else {
    FitPrinter(program, question, answer, out).print();
  }
  for (const FitRow& row : answer.rows) {
    if (!row.peak) return kExitErrors;
  }
  return kExitFine;
}

constexpr std::string_view kFitsAbout = R"(usage: faketensor fits FILE [--target T]... [OPTION]...

Prints which devices a program fits, and the largest batch that does: each size is propagated, so what is said has been
checked. Without --target all devices that have a name: t4, l4, a10, a100-40gb, a100-80gb (a100), h100-sxm (h100),
h100-pcie, h100-nvl, h200, b200, rtx3090, rtx4090, rtx5090, mi300x, cpu. The program is on the target's kind of device
unless --device says otherwise.

)";

constexpr auto kFitsOptions = what_if_options_and({
    {"--over", "DIM[=N..M]",
     "the dimension whose largest size is looked for, named as for --set;\n"
     "batch unless given. With a range its peaks too"},
    {"--allocator", "SETTINGS",
     "by what PyTorch's caching allocator can give out of the device's\n"
     "memory, under these PYTORCH_ALLOC_CONF; \"\" are its own"},
    {"--context", "",
     "of a decoder's step: its caches of keys and values, what a token adds to\n"
     "them, and the longest context that fits"},
    {"--gpus", "N",
     "several GPUs instead, on paper, of each --target: memory of a rank,\n"
     "bytes that it sends in a step, time with the target's link"},
    {"--parallel", "WAY",
     "with --gpus: dp, zero1, zero2, zero3, tp or pp; may be given more than\n"
     "once, and is all that apply unless given"},
    {"--train", "OPTIMIZER", "a training step instead, with sgd, momentum, adam or adamw"},
    {"--grad-accumulation", "N", "with --train, and so are the next two, as for memory"},
    {"--master-weights", "", "float32 copies of parameters of lower precision"},
    {"--checkpoint", "MODULE", "the module's forward is computed again in backward"},
    {"--format", "F", "text or json"},
});

constexpr std::string_view kFitsMore = R"(
examples:
  faketensor fits model.pt2 --dtype bfloat16
  faketensor fits model.pt2 --target rtx4090 --allocator expandable_segments:True
  faketensor fits model.pt2 --train adam --master-weights --dtype bfloat16
  faketensor fits model.pt2 --target rtx4090 --target my_gpu.yaml --over input_ids.1=128..8k
  faketensor fits model.pt2 --gpus 8 --target h100 --train adam --parallel zero3 --parallel tp

exit code: 0 fine, whether it fits or not, 1 the program has errors, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kFitsCommand = {"fits",     &fits_command, "which devices a program fits",
                                 kFitsAbout, kFitsOptions,  kFitsMore};

}  // namespace faketensor

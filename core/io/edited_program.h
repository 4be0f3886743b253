// EditedProgram: the program of a file under passes, and written again.
//
//   EditedProgram edited(FileSource("model.pt2"), "model.pt2");
//   edited.run("cse");
//   const std::string json = edited.json();          // what PyTorch's deserialiser reads
//   edited.write_pt2(source, sink);                  // with the weights of the file
//
// What passes have left without a value is propagated before it is written (propagate.h,
// propagate_edited), and so is what uses it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "core/formats/byte_sink.h"
#include "core/formats/byte_source.h"
#include "core/io/program_text.h"
#include "core/passes/pass.h"
#include "core/passes/propagate.h"

namespace faketensor {

class EditedProgram {
 public:
  // Raises as open_program does.
  EditedProgram(const ByteSource& source, std::string_view name, const ReadLimits& limits = {},
                std::string_view model = {});
  EditedProgram(const EditedProgram&) = delete;
  EditedProgram& operator=(const EditedProgram&) = delete;

  PassSubject& subject() { return subject_; }
  const Program& program() const { return program_; }
  Graph& graph() { return *subject_.graph; }

  // Computes the values that edits have touched. Returns how many nodes were run; raises what they
  // raise.
  size_t propagate();

  // By the name of a pass and its argument: "split_by_tags/4". Raises Usage for a name that there is
  // not, and what the pass raises.
  PassResult run(std::string_view pass);

  // Wherever the pattern stands, the replacement; each is FX text (graph_pattern.h).
  PassResult replace(GraphPattern pattern);

  // The program as it is now. Raises what nodes raise that are propagated, and Usage for what cannot
  // be written (program_writer.h).
  std::string json();
  // With the weights of the archive that it was read from. Raises Usage, too, for a source that is no
  // archive, and for weights that are not the file's any more.
  void write_pt2(const ByteSource& archive, ByteSink& sink);
  // The last of these alone.
  void check_weights() const;

 private:
  void check_has_no_module_calls() const;

  ReadLimits limits_;
  FileText file_;
  Program program_;
  FakeTensorMode mode_;
  PassSubject subject_;
  std::unordered_map<const Graph*, ValueNotes> notes_;
};

// The program in a file as JSON: the file's own text, or what a program of FX text is written as.
std::string program_json(const ByteSource& source, std::string_view name,
                         const ReadLimits& limits = {});

}  // namespace faketensor

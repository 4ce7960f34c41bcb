/// One page of the help that the prompt gives.
package struct HelpTopic: Hashable, Sendable {
  /// What the page is asked for by.
  package let name: String
  /// Other words that lead to it.
  package let aliases: [String]
  package let group: Group
  /// What it does, a line each.
  package let lines: [String]
  /// Statements to try, which go on from those of the topic `start`; empty
  /// where there is nothing to type.
  package let example: [String]
  /// The files that the example reads, with what is in them.
  package let files: [String: String]

  /// What the list of topics is ordered by; raw values are its headings.
  package enum Group: String, Hashable, Sendable, CaseIterable {
    case start = "begin"
    case model
    case objects
    case requests
    case controllers
    case looking
    case control
    case around = "more"
  }

  init(
    _ name: String, _ aliases: [String] = [], in group: Group, _ lines: [String],
    example: [String] = [], files: [String: String] = [:]
  ) {
    self.name = name
    self.aliases = aliases
    self.group = group
    self.lines = lines
    self.example = example
    self.files = files
  }

  /// The example as it is below the lines, after an empty one.
  package var indentedExample: [String] {
    example.isEmpty ? [] : [""] + example.map { "  " + $0 }
  }
}

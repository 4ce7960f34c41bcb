/// One topic of the prompt's help.
package struct HelpTopic: Hashable, Sendable {
  /// The name that shows the topic.
  package let name: String
  /// Other words that show the topic.
  package let aliases: [String]
  package let group: Group
  /// The lines of the text.
  package let lines: [String]
  /// Statements to try, which continue those of the topic `start`; empty if there is nothing to
  /// type.
  package let example: [String]
  /// The files that the example reads, with their contents.
  package let files: [String: String]
  /// Whether the example does not continue that of `start`.
  package let isApart: Bool

  /// The groups of the list of topics; the raw values are its headings.
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
    example: [String] = [], files: [String: String] = [:], isApart: Bool = false
  ) {
    self.name = name
    self.aliases = aliases
    self.group = group
    self.lines = lines
    self.example = example
    self.files = files
    self.isApart = isApart
  }

  /// A topic that is not listed, for a script to try in a session without entities.
  ///
  /// - Parameter script: The lines of the script.
  package init(script: [String]) {
    self.init("script", in: .around, [], example: script, isApart: true)
  }

  /// The lines of the example, indented, after an empty line.
  package var indentedExample: [String] {
    example.isEmpty ? [] : [""] + example.map { "  " + $0 }
  }
}

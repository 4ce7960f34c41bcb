import Basics

/// The help of the prompt: its topics, and how a topic is found.
package enum Help {
  /// All topics, in the order of the list.
  package static let topics: [HelpTopic] =
    HelpTopic.beginning + HelpTopic.onObjects + HelpTopic.onContexts + HelpTopic.onRequests
    + HelpTopic.onControllers
    + HelpTopic.onControl

  /// The statements that lead to a first callback.
  package static var firstSteps: [String] { topics.first { $0.name == "start" }?.example ?? [] }

  /// The result of looking for a topic.
  package enum Answer: Hashable, Sendable {
    case topic(HelpTopic)
    case unknown(String, nearest: String?)
  }

  /// Looks for a topic by its name, by an alias, or by a sentence that contains an alias of several
  /// words.
  package static func answer(to word: String) -> Answer {
    let wanted = word.trimmingQuotes.lowercased()
    if let topic = topics.first(where: { $0.name == wanted })
      ?? topics.first(where: { $0.aliases.contains(wanted) })
      ?? topics.first(where: { $0.aliases.contains { $0.contains(" ") && wanted.contains($0) } })
    {
      return .topic(topic)
    }
    let names = topics.map(\.name) + topics.flatMap(\.aliases)
    return .unknown(word, nearest: nearestName(to: wanted, among: names))
  }

  /// Returns the list of topics, in groups.
  ///
  /// - Parameter isEditing: Whether the prompt has keys of its own.
  package static func overview(isEditing: Bool) -> [String] {
    let width = HelpTopic.Group.allCases.map(\.rawValue.count).max() ?? 0
    let groups = HelpTopic.Group.allCases.map { group in
      let names = topics.filter { $0.group == group }.map(\.name)
      return "  " + group.rawValue.padded(toColumns: width) + "  " + names.joined(separator: " ")
    }
    return ["Type a statement, or :help TOPIC for one of these:", ""] + groups + [
      "", "The examples of the topics continue the example of :help start.",
      (isEditing
        ? "Tab completes, Ctrl-R searches what was typed, Ctrl-C drops it"
        : "Ctrl-C drops what was typed") + ", Ctrl-D or :quit leaves.",
    ]
  }
}

extension String {
  /// The text without quotation marks around it.
  fileprivate var trimmingQuotes: String {
    guard count > 1, let first, first == last, "'\"`".contains(first) else { return self }
    return String(dropFirst().dropLast())
  }
}

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

import Basics
import ScriptSyntax

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

  /// The list of topics, in groups.
  package static var overview: [String] {
    let width = HelpTopic.Group.allCases.map(\.rawValue.count).max() ?? 0
    let groups = HelpTopic.Group.allCases.map { group in
      let heading = group.rawValue + String(repeating: " ", count: width - group.rawValue.count)
      let names = topics.filter { $0.group == group }.map(\.name)
      return "  " + heading + "  " + names.joined(separator: " ")
    }
    return ["Type a statement, or :help TOPIC for one of these:", ""] + groups + [
      "", "The examples of the topics continue the example of :help start.",
      "Tab completes, Ctrl-R searches what was typed, Ctrl-C drops it, Ctrl-D or :quit leaves.",
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

/// The meaning that a name must have, if it has another one.
package enum WantedName: Hashable, Sendable {
  /// The name must be unused.
  case newName
  case controller
  case table
  /// An entity, a request or a controller.
  case source
  case value
  /// What `swift` shows; for a table, the controller that it shows.
  case swiftSubject(shown: String)

  /// Returns the message.
  func words(_ name: String, _ meaning: NameMeaning) -> String {
    switch self {
    case .newName: "'\(name)' is already \(meaning.rawValue); choose another name"
    case .controller where meaning == .entity:
      "expected a controller, but '\(name)' is an entity; "
        + "write 'controller books = \(name) sort by KEY' first"
    case .controller: "expected a controller, but '\(name)' is \(meaning.rawValue)"
    case .table: "expected a table, but '\(name)' is \(meaning.rawValue)"
    case .source:
      "expected an entity, a request or a controller, but '\(name)' is \(meaning.rawValue)"
    case .swiftSubject(let shown):
      "expected a controller, a context or an entity, but '\(name)' is \(meaning.rawValue); "
        + "write 'swift \(shown)' for the controller that it shows"
    case .value where meaning == .table:
      "expected a value, but '\(name)' is a table; 'show \(name)' draws it"
    case .value where meaning == .entity:
      "expected a value, but '\(name)' is an entity; "
        + "write 'fetch \(name)' for its objects, or \(name)/1 for one"
    case .value:
      "expected a value, but '\(name)' is \(meaning.rawValue); 'fetch \(name)' shows its objects"
    }
  }
}

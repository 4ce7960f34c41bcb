import FetchedResults

/// What a name was looked up as that means nothing.
package enum UnknownName: Hashable, Sendable {
  case entity
  /// Neither entity nor request nor controller.
  case source
  case name
  case variable
  case controller
  case table
  case context
  case function
  case type
  /// The entity that another one inherits from.
  case parent
  case storedRequest
  case attribute(of: String)
  case member(of: String)

  /// The error in words, with the nearest name.
  func words(_ name: String, _ near: String?) -> String {
    words(name) + (suggestion(near).map { "; did you mean '\($0)'?" } ?? "")
  }

  private func words(_ name: String) -> String {
    switch self {
    case .source where name.first?.isUppercase != true:
      "unknown request or controller '\(name)'"
    case .entity, .source: "unknown entity '\(name)'"
    case .name: "unknown name '\(name)'"
    case .variable: "unknown variable '$\(name)'"
    case .controller: "unknown controller '\(name)'"
    case .table: "unknown table '\(name)'"
    case .context: "unknown context '\(name)'"
    case .function: "unknown function '\(name)'"
    case .type: "unknown type '\(name)'"
    case .parent: "unknown entity '\(name)'; a parent is defined before what inherits from it"
    case .storedRequest: "no model holds a request '\(name)'"
    case .attribute(let entity): "\(entity) has no attribute '\(name)'"
    case .member(let owner): "\(owner) has no '\(name)'"
    }
  }

  /// What the nearest name looks like in a sentence.
  private func suggestion(_ near: String?) -> String? {
    self == .variable ? near.map { "$" + $0 } : near
  }

  /// What can be written in the place of the unknown name.
  func replacement(_ near: String?) -> String? {
    switch self {
    case .entity, .source, .name, .controller, .context, .function, .type, .parent, .attribute,
      .member:
      near
    case .variable: near.map { "$" + $0 }
    case .storedRequest: near.map(\.quoted)
    case .table: nil
    }
  }
}

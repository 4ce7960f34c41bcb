import FetchedResults
import PredicateSyntax

/// The meaning that was looked for when a name was unknown.
package enum UnknownName: Hashable, Sendable {
  case entity
  /// An entity, a request or a controller.
  case source
  case name
  /// A lower-case name of an entity, which exists with a capital letter.
  case lowercaseEntity(String)
  case variable
  case controller
  /// What `swift` shows: a controller, a context or an entity.
  case swiftSubject
  case table
  case context
  case function
  case type
  /// The parent of an entity.
  case parent
  case storedRequest
  case attribute(of: String)
  case member(of: String)

  /// Returns the message, with the nearest name, or with all names if none is near.
  func words(_ name: String, _ near: String?, _ known: [String]) -> String {
    words(name) + (suggestion(near).map { "; did you mean '\($0)'?" } ?? alternatives(known) ?? "")
  }

  /// Returns the names that exist, or how to define one.
  private func alternatives(_ known: [String]) -> String? {
    let names = known.listed(limit: self == .type ? 13 : 8)
    let there = names.map { (known.count == 1 ? "there is " : "there are ") + $0 }
    return switch self {
    case .attribute, .member: names.map { "; it has \($0)" }
    case .type: names.map { "; the types are \($0)" }
    case .controller:
      "; "
        + (there ?? "write 'controller NAME = ENTITY sort by KEY' first")
    case .swiftSubject: names.map { "; write \($0)" }
    case .table: "; " + (there ?? "write 'table NAME = CONTROLLER' first")
    case .entity, .source: "; " + (there ?? "write 'entity NAME { title: String }' first")
    case .context: there.map { "; \($0)" }
    case .name, .variable, .function, .parent, .storedRequest, .lowercaseEntity: nil
    }
  }

  private func words(_ name: String) -> String {
    switch self {
    case .source where name.first?.isUppercase != true:
      "unknown request or controller '\(name)'"
    case .entity, .source: "unknown entity '\(name)'"
    case .name: "unknown name '\(name)'"
    case .lowercaseEntity(let entity):
      "unknown name '\(name)'; write \(entity)/1 for an object of \(entity), "
        + "or 'let \(name) = \(entity)/1' first"
    case .variable: "unknown variable '$\(name)'"
    case .controller: "unknown controller '\(name)'"
    case .swiftSubject: "unknown controller, context or entity '\(name)'"
    case .table: "unknown table '\(name)'"
    case .context: "unknown context '\(name)'"
    case .function where PredicateFunction.names.contains { $0 == name || $0 == name + ":" }:
      "unknown function '\(name)'; it is a function of predicates, which follow 'where'"
    case .function: "unknown function '\(name)'"
    case .type: "unknown type '\(name)'"
    case .parent: "unknown entity '\(name)'; a parent is defined before what inherits from it"
    case .storedRequest: "no model holds a request '\(name)'"
    case .attribute(let entity): "\(entity) has no attribute '\(name)'"
    case .member(let owner): "\(owner) has no '\(name)'"
    }
  }

  /// Returns the nearest name as a clause of a sentence.
  private func suggestion(_ near: String?) -> String? {
    self == .variable ? near.map { "$" + $0 } : near
  }

  /// Returns the text that can replace the unknown name.
  func replacement(_ near: String?) -> String? {
    switch self {
    case .entity, .source, .name, .controller, .swiftSubject, .context, .function, .type, .parent,
      .attribute,
      .member:
      near
    case .variable: near.map { "$" + $0 }
    case .storedRequest: near.map(\.quoted)
    case .table, .lowercaseEntity: nil
    }
  }
}

import FetchedResults
package import ScriptRuntime

/// The meaning of a name that was typed alone, and the statement that it stands for.
package enum NameHint: Hashable, Sendable {
  case variable(String)
  case entity(String)
  case request(String)
  case controller(String, isFetched: Bool)
  case table(String)

  /// Creates the hint; nil if the entry is not a single name of the session.
  package init?(_ entry: String, session: Session) {
    let name = entry.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    if session.variableNames.contains(name) {
      self = .variable(name)
    } else if let controller = session.controllers[name]?.controller {
      self = .controller(name, isFetched: controller.fetchedObjects != nil)
    } else if session.tables[name] != nil {
      self = .table(name)
    } else if session.requests[name] != nil {
      self = .request(name)
    } else if session.entities.contains(where: { $0.name == name }) {
      self = .entity(name)
    } else {
      return nil
    }
  }
}

extension NameHint {
  /// The statement that the name stands for at the prompt; nil if there is nothing to print yet.
  package var statement: String? {
    switch self {
    case .variable(let name): "print \(name)"
    case .entity(let name), .request(let name): "fetch \(name)"
    case .table(let name), .controller(let name, isFetched: true): "show \(name)"
    case .controller(_, isFetched: false): nil
    }
  }
}

extension NameHint: CustomStringConvertible {
  /// A comment that says what to type.
  package var description: String {
    switch self {
    case .controller(let name, false): "# fetch \(name) to get its results"
    case .variable, .entity, .request, .table, .controller(_, true):
      "# \(statement ?? "") prints it"
    }
  }
}

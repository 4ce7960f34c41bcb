import FetchedResults
package import ScriptRuntime

/// What to type about a name that somebody has typed alone, as where a prompt
/// shows what each line is worth.
package enum NameHint: Hashable, Sendable {
  case variable(String)
  case entity(String)
  case request(String)
  case controller(String, isFetched: Bool)
  case table(String)

  /// Finds the hint; nil where the entry is not one name of the session.
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

extension NameHint: CustomStringConvertible {
  /// The words, as a comment.
  package var description: String {
    switch self {
    case .variable(let name): "# print \(name) shows it"
    case .entity(let name): "# fetch \(name) prints its objects"
    case .request(let name): "# fetch \(name) prints its rows"
    case .table(let name): "# show \(name) draws it"
    case .controller(let name, true): "# show \(name) lists its results"
    case .controller(let name, false): "# fetch \(name) to get its results"
    }
  }
}

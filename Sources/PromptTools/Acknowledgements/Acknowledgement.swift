/// A line at the prompt about a statement that would otherwise print nothing.
///
/// It is shown as a comment, at a terminal only, and is never part of a script's output.
package enum Acknowledgement: Hashable, Sendable {
  case inserted(String)
  case named(String, object: String)
  case changes(inserted: Int, updated: Int, deleted: Int)
  case nothingMatched
  case saved(Int)
  case rolledBack(Int)
  case reset
  case context(String)
  /// There is nothing to `undo` or `redo`.
  case nothingTo(String)
  case entity(String, attributes: [String])
  case request(String)
  case controller(String)
  /// The sections are nil if the controller has no section key.
  case fetched(String, sections: Int?, objects: Int)
  /// A fetched controller's request was changed.
  case requestChanged(String)
  case tracksNothing(String)
  /// A table was created; `awaits` names its controller if that has to fetch first.
  case table(String, awaits: String?)
  /// Changes are no longer followed, or are followed again from the next turn on.
  case suspended(String)
  case resumed(String)
  /// The values of an object that was typed alone.
  case values(String)
  /// A controller missed a change because it has not fetched.
  case unfetched(String)

  /// Whether the line says what to do next, rather than what was done.
  package var isAdvice: Bool {
    switch self {
    case .request, .controller, .requestChanged, .unfetched, .table: true
    case .inserted, .named, .changes, .nothingMatched, .saved, .rolledBack, .reset, .context,
      .nothingTo, .entity,
      .fetched, .tracksNothing, .suspended, .resumed, .values:
      false
    }
  }
}

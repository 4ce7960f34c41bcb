/// The prompt's line about a statement that would otherwise print nothing.
///
/// Shown at a terminal only, as comments; never part of a script's output.
package enum Acknowledgement: Hashable, Sendable {
  case inserted(String)
  case named(String, object: String)
  case changes(inserted: Int, updated: Int, deleted: Int)
  case nothingMatched
  case saved(Int)
  case rolledBack(Int)
  case reset
  case context(String)
  /// `undo` or `redo`, if there is nothing to.
  case nothingTo(String)
  case entity(String, attributes: [String])
  case request(String)
  case controller(String)
  /// The sections are nil if the controller has no section key.
  case fetched(String, sections: Int?, objects: Int)
  /// A fetched controller's request was changed.
  case requestChanged(String)
  case tracksNothing(String)
  /// A table, and its controller where that has to fetch first.
  case table(String, awaits: String?)
  /// Changes are no longer followed, or from the next turn on again.
  case suspended(String)
  case resumed(String)
  /// The values of the object that a value alone gave.
  case values(String)
  /// A change went by a controller that has not fetched.
  case unfetched(String)

  /// Whether it says what to do next, rather than what was done.
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

import FetchedResults

/// An observer of the store's history, with its name in the session.
package final class HistoryBinding {
  package let name: String
  /// The observer; nil where only names are checked.
  let history: ObservedHistory?

  init(name: String, history: ObservedHistory?) {
    self.name = name
    self.history = history
  }

  /// The observer as a script writes it.
  var scriptText: String {
    let entities = (history?.entities ?? []).map(\.name).joined(separator: ", ")
    let authors = (history?.authors ?? []).sorted().map(\.quoted).joined(separator: ", ")
    return "history" + (entities.isEmpty ? "" : " of \(entities)")
      + (authors.isEmpty ? "" : " by \(authors)")
  }
}

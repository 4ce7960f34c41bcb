/// The options for the store in a `store` statement.
package struct StoreOptions: Hashable, Sendable {
  /// Whether the file and all files next to it must stay unchanged.
  package var isReadOnly = false
  /// Whether each save is recorded in the store's history.
  package var tracksHistory = false
  /// Whether saves of other processes are reported.
  package var tellsRemoteChanges = false

  /// Whether a migration may drop data that a newer model has no place for.
  package var migrates = false

  package init() {}

  /// The words of the options, in the order of the normal form.
  package static let words: [(word: String, option: any WritableKeyPath<Self, Bool> & Sendable)] = [
    ("readonly", \.isReadOnly), ("history", \.tracksHistory),
    ("remoteChanges", \.tellsRemoteChanges), ("migrate", \.migrates),
  ]

  /// The given options, as a script writes them.
  package var text: String {
    Self.words.filter { self[keyPath: $0.option] }.map { " " + $0.word }.joined()
  }
}

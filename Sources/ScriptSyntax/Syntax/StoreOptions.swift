/// What a statement asks of the store that it names.
package struct StoreOptions: Hashable, Sendable {
  /// Whether neither the file nor anything beside it may change.
  package var isReadOnly = false
  /// Whether each save is noted in the store's history.
  package var tracksHistory = false
  /// Whether saves of other processes are told.
  package var tellsRemoteChanges = false

  /// Whether data may go for which a newer model has no place.
  package var migrates = false

  package init() {}

  /// The words of the options, in the order in which they are written.
  package static let words: [(word: String, option: any WritableKeyPath<Self, Bool> & Sendable)] = [
    ("readonly", \.isReadOnly), ("history", \.tracksHistory),
    ("remoteChanges", \.tellsRemoteChanges), ("migrate", \.migrates),
  ]

  /// The options that are given, as they are written.
  package var text: String {
    Self.words.filter { self[keyPath: $0.option] }.map { " " + $0.word }.joined()
  }
}

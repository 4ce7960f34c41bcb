import FetchedResults

extension FetchedDictionary {
  /// `publisher: "Ace", sumPages: 300`.
  var line: String {
    entries.map { "\($0.name): \($0.value.quotedDescription)" }.joined(separator: ", ")
  }

  var json: JSON { .object(entries.map { ($0.name, JSON($0.value)) }) }
}

/// How many blocks an update changed.
package struct UpdateSums: Hashable, Sendable {
  /// Blocks that expected something else before.
  package private(set) var changed = 0
  /// Blocks that expected nothing before.
  package private(set) var new = 0
  /// The files with these blocks.
  package private(set) var files: Set<String> = []

  package init() {}

  /// Counts blocks.
  package mutating func add(_ blocks: some Sequence<GoldenUpdate.Proposal>) {
    for block in blocks {
      files.insert(block.file)
      if block.isNew { new += 1 } else { changed += 1 }
    }
  }

  /// `3 blocks in 2 files: 2 changed, 1 new`.
  package var words: String {
    let count = changed + new
    let kinds = [(changed, "changed"), (new, "new")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return "\(count) \(count == 1 ? "block" : "blocks") in \(files.count) "
      + (files.count == 1 ? "file" : "files")
      + (kinds.isEmpty ? "" : ": " + kinds.joined(separator: ", "))
  }
}

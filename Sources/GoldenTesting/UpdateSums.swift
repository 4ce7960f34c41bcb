/// The number of blocks that an update changed.
package struct UpdateSums: Hashable, Sendable {
  /// The number of blocks with other expected output before.
  package private(set) var changed = 0
  /// The number of blocks without expected output before.
  package private(set) var new = 0
  /// The files that contain these blocks.
  package private(set) var files: Set<String> = []

  package init() {}

  /// Counts blocks.
  package mutating func add(_ blocks: some Sequence<GoldenUpdate.Proposal>) {
    for block in blocks {
      files.insert(block.file)
      if block.isNew { new += 1 } else { changed += 1 }
    }
  }

  /// The sums in words: `3 blocks in 2 files: 2 changed, 1 new`.
  package var words: String {
    let count = changed + new
    let kinds = [(changed, "changed"), (new, "new")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return "\(count) \(count == 1 ? "block" : "blocks") in \(files.count) "
      + (files.count == 1 ? "file" : "files")
      + (kinds.isEmpty ? "" : ": " + kinds.joined(separator: ", "))
  }
}

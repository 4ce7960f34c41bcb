extension ResultsDecision {
  /// Puts the changes into the order in which a delegate receives them.
  ///
  /// Object deletes come first, then section deletes, section inserts and object inserts, then
  /// moves and updates as one group. Apple does not document the order within a group. Here it is
  /// ascending: deletes, moves and updates by the old index path, inserts by the new one, sections
  /// by index.
  ///
  /// - Complexity: O(*c* log *c*), where *c* is the number of changes.
  mutating func sort() {
    deletes.sort { Self.precedes($0.indexPath, $1.indexPath) }
    sectionDeletes.sort { $0.index < $1.index }
    sectionInserts.sort { $0.index < $1.index }
    inserts.sort { Self.precedes($0.newIndexPath, $1.newIndexPath) }
    movesAndUpdates.sort { Self.precedes($0.indexPath, $1.indexPath) }
    edits.removedSections.sort()
    edits.insertedSections.sort { $0.index < $1.index }
  }

  /// The objects that changed and were results before and after, by their old places.
  ///
  /// Objects of sections that changed places are included.
  ///
  /// - Complexity: O(*c* log *c*), where *c* is the number of changes.
  var reloadedNumbers: [Int64] {
    let replaced = deletes.filter { $0.reason == .sectionReordered && $0.place != nil }
    return (movesAndUpdates + replaced).sorted { Self.precedes($0.indexPath, $1.indexPath) }
      .map(\.number)
  }

  private static func precedes(_ left: ResultsIndexPath?, _ right: ResultsIndexPath?) -> Bool {
    guard let left, let right else { return false }
    return mutation(.wrongOrder) ? right < left : left < right
  }
}

import Algorithms

/// The sections before a batch, as far as its changed rows stood in them.
struct OldSections {
  /// Each old row's section index and row, for the placement's old order.
  private(set) var paths: [ResultsIndexPath] = []
  /// The sections that hold these rows, ascending.
  private(set) var places: [SectionedResults.SectionPlace] = []
  /// How many of these rows each of those sections holds.
  private(set) var changedCounts: [Int] = []
  /// Indices of sections that have no unchanged row, ascending.
  private(set) var emptied: [Int] = []

  /// - Complexity: O(*k* log *n*).
  init(_ placement: RowPlacement, in results: SectionedResults) {
    paths.reserveCapacity(placement.oldRanks.count)
    places.reserveCapacity(placement.oldRanks.count)
    changedCounts.reserveCapacity(placement.oldRanks.count)
    for (rank, place) in zip(placement.oldRanks, results.sections(ofRanks: placement.oldRanks)) {
      // Old ranks ascend, so the rows of one section lie together.
      if let last = places.last, rank < last.firstRank + last.rowCount {
        changedCounts[changedCounts.count - 1] += 1
      } else {
        places.append(place)
        changedCounts.append(1)
      }
      paths.append(ResultsIndexPath(section: place.index, row: rank - place.firstRank))
      if changedCounts[changedCounts.count - 1] == place.rowCount { emptied.append(place.index) }
    }
  }

  /// How many sections with unchanged rows stood before an index.
  func ordinal(of index: Int) -> Int { index - emptied.countBefore(index) }

  /// The index of the section with a place among those with unchanged rows.
  func index(ofOrdinal ordinal: Int) -> Int {
    ordinal + emptied.indices.partitioningIndex { emptied[$0] - $0 > ordinal }
  }
}

extension [SectionedResults.SectionPlace] {
  /// Returns the section of an index, where it is among these, which ascend.
  ///
  /// - Complexity: O(log *n*).
  func place(of index: Int) -> SectionedResults.SectionPlace? {
    let found = partitioningIndex { $0.index >= index }
    return found < count && self[found].index == index ? self[found] : nil
  }
}

import Basics

/// The sections before a batch that had changed rows.
struct OldSections {
  /// Each old row's section index and row, by old rank.
  private(set) var paths: [ResultsIndexPath] = []
  /// The sections that hold these rows, ascending.
  private(set) var places: [SectionedResults.SectionPlace] = []
  /// For each of those sections, the index of its first old row among the old rows.
  private(set) var starts: [Int] = []
  /// For each old row, the index of its section in `places`.
  private(set) var sectionsOfRows: [Int] = []
  /// Indices of sections that have no unchanged row, ascending.
  private(set) var emptied: [Int] = []

  /// - Parameter oldRanks: The old ranks of the changed rows, ascending.
  /// - Complexity: O(*k* log *n*).
  init(_ oldRanks: [Int], in results: SectionedResults) {
    paths.reserveCapacity(oldRanks.count)
    places.reserveCapacity(oldRanks.count)
    starts.reserveCapacity(oldRanks.count)
    sectionsOfRows.reserveCapacity(oldRanks.count)
    for (row, place) in results.sections(ofRanks: oldRanks).enumerated() {
      let rank = oldRanks[row]
      // Old ranks ascend, so the rows of one section lie together.
      if places.last.map({ rank < $0.ranks.upperBound }) != true {
        places.append(place)
        starts.append(row)
      }
      sectionsOfRows.append(places.count - 1)
      paths.append(ResultsIndexPath(section: place.index, row: rank - place.firstRank))
      if row + 1 - starts[starts.count - 1] == place.rowCount { emptied.append(place.index) }
    }
  }

  /// How many old rows one of the sections holds.
  func changedCount(_ section: Int) -> Int {
    (section + 1 < starts.count ? starts[section + 1] : paths.count) - starts[section]
  }

  /// Whether all rows of one of the sections changed.
  func isEmptied(_ section: Int) -> Bool { changedCount(section) == places[section].rowCount }

  /// How many sections with unchanged rows came before an old index.
  func ordinal(of index: Int) -> Int { index - emptied.countBefore(index) }

  /// The old index of a section, from its position among the sections with unchanged rows.
  func index(ofOrdinal ordinal: Int) -> Int { emptied.number(leftOutAt: ordinal) }
}

extension [SectionedResults.SectionPlace] {
  /// Returns the section with an old index, if it is among `places`, which ascend.
  ///
  /// - Complexity: O(log *n*).
  func place(of index: Int) -> SectionedResults.SectionPlace? {
    let found = partitioningIndex { $0.index >= index }
    return found < count && self[found].index == index ? self[found] : nil
  }
}

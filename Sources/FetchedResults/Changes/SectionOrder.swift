/// Checks that no section name comes back after another one.
package struct SectionOrder {
  /// A row that breaks the order.
  package struct Offence: Hashable, Sendable {
    /// The row's rank over all sections.
    package let rank: Int
    /// The name of the section before it.
    package let previousName: String
  }

  package private(set) var runs: [SectionedResults.SectionRun] = []
  package private(set) var offence: Offence?
  private var seen: Set<ScalarString> = []
  private var rank = 0

  package init() {}

  /// Takes the next rows, all of one section.
  package mutating func append(_ name: String, count: Int = 1) {
    guard offence == nil, count > 0 else { return }
    if let last = runs.last, last.name.hasSameScalars(as: name) {
      runs[runs.count - 1].count += count
    } else {
      if !seen.insert(ScalarString(name)).inserted {
        offence = Offence(rank: rank, previousName: runs.last?.name ?? "")
      }
      runs.append(SectionedResults.SectionRun(name: name, count: count))
    }
    rank += count
  }
}

extension SectionOrder.Offence {
  /// Finds the first offence among the results as a batch would leave them.
  ///
  /// - Complexity: O(*s* + *k* log *n*) for *s* sections. Tracking ends with
  ///   it, so it is paid once.
  init?(_ placement: RowPlacement, in results: SectionedResults, names: [String]) {
    var order = SectionOrder()
    var row = 0
    var unchanged = 0
    for index in 0..<results.sectionCount {
      let first = results.firstRank(ofSection: index)
      let end = first + results.rowCount(ofSection: index)
      var rest =
        end - first
        - (placement.oldRanks.countBefore(end) - placement.oldRanks.countBefore(first))
      let name = results.name(ofSection: index)
      while rest > 0 {
        while row < names.count, placement.newGaps[row] == unchanged {
          order.append(names[row])
          row += 1
        }
        let next = row < names.count ? placement.newGaps[row] - unchanged : rest
        let step = min(rest, next)
        order.append(name, count: step)
        unchanged += step
        rest -= step
      }
    }
    while row < names.count {
      order.append(names[row])
      row += 1
    }
    guard let offence = order.offence else { return nil }
    self = offence
  }
}

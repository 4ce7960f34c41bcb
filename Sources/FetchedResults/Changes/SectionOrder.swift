/// Divides rows into runs of one section name, and checks that no name occurs again after another
/// one.
package struct SectionOrder {
  /// A row that breaks the order.
  package struct Offence: Hashable, Sendable {
    /// The row's rank over all sections.
    package let rank: Int
    /// The name of the section before it.
    package let previousName: String
  }

  package private(set) var runs: [SectionedResults.SectionRun] = []
  /// The first row that breaks the order, which makes a fetch fail.
  package private(set) var offence: Offence?
  private var seen: Set<ScalarString> = []
  private var rank = 0

  package init() {}

  /// Creates the order from sections that were already checked.
  init(checked runs: [SectionedResults.SectionRun]) { self.runs = runs }

  /// Appends the next rows, which all belong to one section.
  package mutating func append(_ name: String, count: Int = 1) {
    guard count > 0 else { return }
    if let last = runs.last, last.name.hasSameScalars(as: name) {
      runs[runs.count - 1].count += count
    } else {
      if !seen.insert(ScalarString(name)).inserted, offence == nil {
        offence = Offence(rank: rank, previousName: runs.last?.name ?? "")
      }
      runs.append(SectionedResults.SectionRun(name: name, count: count))
    }
    rank += count
  }
}

extension SectionOrder {
  /// Returns the sections of a range of the rows.
  ///
  /// - Complexity: O(*s*) for *s* sections.
  func cut(to ranks: Range<Int>) -> SectionOrder {
    var cut = SectionOrder()
    var start = 0
    for run in runs {
      cut.append(run.name, count: ranks.clamped(to: start..<start + run.count).count)
      start += run.count
    }
    return cut
  }

  /// Brings the rows of each section together, and sorts the sections by their first rows.
  ///
  /// - Parameter numbers: The objects' numbers of all rows.
  /// - Complexity: O(*n*).
  package func grouped(
    _ numbers: [Int64]
  ) -> (numbers: [Int64], runs: [SectionedResults.SectionRun]) {
    var sections: [(name: String, numbers: [Int64])] = []
    var places: [ScalarString: Int] = [:]
    var start = 0
    for run in runs {
      let key = ScalarString(run.name)
      let place = places[key] ?? sections.count
      if place == sections.count {
        places[key] = place
        sections.append((run.name, []))
      }
      sections[place].numbers += numbers[start..<start + run.count]
      start += run.count
    }
    return (
      sections.flatMap(\.numbers),
      sections.map { SectionedResults.SectionRun(name: $0.name, count: $0.numbers.count) }
    )
  }
}

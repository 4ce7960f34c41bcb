package import ScriptRuntime

/// The difference between what controllers show at two points of a session.
package struct SeenDifference {
  /// A controller whose rows differ.
  package struct Controller {
    package let name: String
    /// The sections at the second point.
    ///
    /// Rows that only the first point has are at the end of their section.
    package let lines: [PaneLine]
    /// Whether the two points differ.
    package let isChanged: Bool
  }

  /// The controllers that at least one of the points has.
  package let controllers: [Controller]

  /// Compares two points.
  ///
  /// - Complexity: O(*n* log *n*) in the rows. ``SeenController`` keeps few of them.
  package init(from old: [SeenController], to new: [SeenController]) {
    let names =
      new.map(\.name) + old.map(\.name).filter { name in !new.contains { $0.name == name } }
    controllers = names.map { name in
      let before = old.first { $0.name == name }
      let after = new.first { $0.name == name }
      let lines = Self.lines(before?.sections ?? [], after?.sections ?? [])
      let isDefined = (before == nil) != (after == nil)
      let isFetched = (before?.sections == nil) != (after?.sections == nil)
      return Controller(
        name: name, lines: lines,
        isChanged: isDefined || isFetched || lines.contains { $0.mark != .none })
    }
  }

  private static func lines(
    _ old: [SeenController.Section], _ new: [SeenController.Section]
  ) -> [PaneLine] {
    var places: [String: Int] = [:]
    for (index, section) in old.enumerated() {
      for row in section.rows ?? [] { places["\(row.id)"] = index }
    }
    let kept = Set(new.flatMap { $0.rows ?? [] }.map { "\($0.id)" })
    var lines = new.flatMap { section in
      let before = old.first { $0.name == section.name }
      return Self.lines(from: before, to: section, in: old, places, kept)
    }
    for section in old where !new.contains(where: { $0.name == section.name }) {
      lines.append(PaneLine(.deleted, .section, title(section)))
      lines += gone(from: section, kept)
    }
    return lines
  }

  private static func title(_ section: SeenController.Section) -> String {
    "\(section.name.isEmpty ? "\"\"" : section.name) (\(section.count))"
  }

  private static func gone(
    from section: SeenController.Section?, _ kept: Set<String>
  ) -> [PaneLine] {
    (section?.rows ?? []).filter { !kept.contains("\($0.id)") }
      .map { PaneLine(.deleted, .row, $0.text) }
  }

  private static func lines(
    from before: SeenController.Section?, to section: SeenController.Section,
    in old: [SeenController.Section], _ places: [String: Int], _ kept: Set<String>
  ) -> [PaneLine] {
    guard let rows = section.rows, before == nil || before?.rows != nil else {
      // For long lists, only the number of rows is known.
      let count = before?.count ?? 0
      let isSame = before != nil && count == section.count
      let text = isSame ? title(section) : "\(title(section)), was \(count)"
      return [PaneLine(isSame ? .none : before == nil ? .inserted : .updated, .section, text)]
    }
    var lines = [PaneLine(before == nil ? .inserted : .none, .section, title(section))]
    let earlier = Dictionary(
      (before?.rows ?? []).enumerated().map { ("\($1.id)", (place: $0, row: $1)) }
    ) { first, _ in first }
    let inOrder = longestRun(rows.compactMap { earlier["\($0.id)"]?.place })
    for row in rows {
      let id = "\(row.id)"
      var mark = PaneLine.Mark.none
      if let found = earlier[id] {
        if !inOrder.contains(found.place) {
          mark = .moved
        } else if found.row.values != row.values || found.row.text != row.text {
          mark = .updated
        }
      } else {
        mark = places[id] == nil ? .inserted : .moved
      }
      lines.append(PaneLine(mark, .row, row.text))
    }
    return lines + gone(from: before, kept)
  }

  /// Returns the largest set of numbers that ascend from left to right.
  ///
  /// The other rows have moved.
  private static func longestRun(_ numbers: [Int]) -> Set<Int> {
    /// For each length, the index where the run with the smallest last number ends.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var run: Set<Int> = []
    var index = ends.last ?? -1
    while index >= 0 {
      run.insert(numbers[index])
      index = previous[index]
    }
    return run
  }
}

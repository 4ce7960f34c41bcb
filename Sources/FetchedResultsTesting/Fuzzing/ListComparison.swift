import FetchedResults

/// Compares the rows of a list with the objects of its controller.
struct ListComparison {
  private let sections: [FetchedResultsSectionInfo]
  private let list: any FuzzedList
  /// False without a section key path, when a list may give its only section any name.
  private let comparesNames: Bool

  init(_ controller: FetchedResultsController, _ list: any FuzzedList) {
    sections = controller.sections.map(Array.init) ?? []
    self.list = list
    comparesNames = controller.sectionNameKeyPath != nil
  }

  /// Returns the first difference, and all sections of both; nil if there is no difference.
  ///
  /// - Complexity: O(*n*) for *n* rows.
  func difference(from shown: [ShownSection]) -> String? {
    guard let first = firstDifference(from: shown) else { return nil }
    return """
      \(first)
        the list shows      \(Self.words(shown.map { ($0.name, $0.rows.map(\.objectID)) }))
        the controller has  \(Self.words(sections.map { ($0.name, $0.objects.map(\.objectID)) }))
      """
  }

  private func firstDifference(from shown: [ShownSection]) -> String? {
    guard shown.count == sections.count else {
      return "the list shows \(shown.count.of("section")), the controller has \(sections.count)"
    }
    for (index, (mine, section)) in zip(shown, sections).enumerated() {
      guard !comparesNames || mine.name == section.name else {
        return "section \(index) is named '\(mine.name)' in the list, '\(section.name)' in the "
          + "controller"
      }
      let objects = section.objects
      guard mine.rows.count == objects.count else {
        return "section \(index) has \(mine.rows.count.of("row")) in the list, \(objects.count) "
          + "in the controller"
      }
      for (row, (shown, object)) in zip(mine.rows, objects).enumerated() {
        let path = ResultsIndexPath(section: index, row: row)
        guard shown.objectID == object.objectID else {
          return
            "row \(path) is \(shown.objectID) in the list, \(object.objectID) in the controller"
        }
        if let text = shown.text, let expected = list.text(for: object), text != expected {
          return "row \(path), \(object.objectID), shows '\(text)' and should show '\(expected)'"
        }
      }
    }
    return nil
  }

  /// Returns a text such as `a: Book/1 Book/2 | b: Book/3`.
  private static func words(_ sections: [(name: String, ids: [ObjectID])]) -> String {
    guard !sections.isEmpty else { return "nothing" }
    return sections.map { name, ids in
      let rows = ids.map { "\($0)" }.joined(separator: " ")
      return name.isEmpty ? "[\(rows)]" : "\(name): [\(rows)]"
    }.joined(separator: " ")
  }
}

extension Int {
  /// Returns the number with a noun: `1 section`, `2 sections`.
  func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

/// How the reported changes break the replay law; see ``ReplayLaw``.
package enum ReplayBreach<Row: Hashable & Sendable>: Error, Hashable, Sendable {
  /// A change lacks an index path that its type has, or has one too many.
  case wrongPaths(FetchedResultsChangeType, Row)
  /// Two changes name one row of the old sections.
  case twiceBefore(ResultsIndexPath)
  /// Two changes name one row of the new sections.
  case twiceAfter(ResultsIndexPath)
  case sectionTwiceBefore(Int)
  case sectionTwiceAfter(Int)
  /// Sections can only be inserted and deleted.
  case sectionCannot(FetchedResultsChangeType, Int)
  /// An old index path has another row, or none.
  case notBefore(Row, ResultsIndexPath, found: Row?)
  /// A new index path has another row, or none.
  case notAfter(Row, ResultsIndexPath, found: Row?)
  case noSectionBefore(Int)
  case noSectionAfter(Int)
  /// A deleted section has another name.
  case otherName(index: Int, told: String, found: String)
  /// A row of a deleted section was neither deleted nor moved.
  case leftInDeletedSection(Row, Int)
  /// The changes produce other sections than are shown; this is the first that differs.
  case unequal(index: Int, told: ReplayLaw<Row>.Section?, shown: ReplayLaw<Row>.Section?)
  /// A difference does not fit the old rows.
  case unfitDifference
  /// A change was sent outside of will change and did change.
  case outsideBatch
  /// Will change was sent, and did change never was.
  case unfinishedBatch
}

extension ReplayBreach {
  /// Converts the rows of the breach.
  func mapRows<Other>(_ other: (Row) -> Other) -> ReplayBreach<Other> {
    func map(_ section: ReplayLaw<Row>.Section) -> ReplayLaw<Other>.Section {
      ReplayLaw.Section(name: section.name, rows: section.rows.map(other))
    }
    return switch self {
    case .wrongPaths(let type, let row): .wrongPaths(type, other(row))
    case .twiceBefore(let path): .twiceBefore(path)
    case .twiceAfter(let path): .twiceAfter(path)
    case .sectionTwiceBefore(let index): .sectionTwiceBefore(index)
    case .sectionTwiceAfter(let index): .sectionTwiceAfter(index)
    case .sectionCannot(let type, let index): .sectionCannot(type, index)
    case .notBefore(let row, let path, let found):
      .notBefore(other(row), path, found: found.map(other))
    case .notAfter(let row, let path, let found):
      .notAfter(other(row), path, found: found.map(other))
    case .noSectionBefore(let index): .noSectionBefore(index)
    case .noSectionAfter(let index): .noSectionAfter(index)
    case .otherName(let index, let told, let found):
      .otherName(index: index, told: told, found: found)
    case .leftInDeletedSection(let row, let index): .leftInDeletedSection(other(row), index)
    case .unequal(let index, let told, let shown):
      .unequal(index: index, told: told.map(map), shown: shown.map(map))
    case .unfitDifference: .unfitDifference
    case .outsideBatch: .outsideBatch
    case .unfinishedBatch: .unfinishedBatch
    }
  }
}

extension ReplayBreach: CustomStringConvertible {
  /// A description of the mistake, with its place.
  package var description: String {
    switch self {
    case .wrongPaths(let type, let row):
      switch type {
      case .insert: "the insert of \(row) must have only a new index path"
      case .delete: "the delete of \(row) must have only an old index path"
      case .move, .update: "the \(type) of \(row) must have both index paths"
      }
    case .twiceBefore(let path): "two changes name the row that was at \(path)"
    case .twiceAfter(let path): "two changes name the row that is now at \(path)"
    case .sectionTwiceBefore(let index): "section \(index) is deleted twice"
    case .sectionTwiceAfter(let index): "section \(index) is inserted twice"
    case .sectionCannot(let type, let index):
      "section \(index) cannot have a change of type \(type)"
    case .notBefore(let row, let path, let found):
      "\(row) was not at \(path), where \(Self.words(found)) was"
    case .notAfter(let row, let path, let found):
      "\(row) does not end up at \(path), where the callbacks put \(Self.words(found))"
    case .noSectionBefore(let index): "there was no section \(index) to delete"
    case .noSectionAfter(let index): "there is no place for a section \(index)"
    case .otherName(let index, let told, let found):
      "the deleted section \(index) is called '\(found)', not '\(told)'"
    case .leftInDeletedSection(let row, let index):
      "\(row) was in the deleted section \(index) and was neither deleted nor moved"
    case .unequal(let index, let told, let shown):
      "section \(index) should be \(Self.words(told)) according to the callbacks, and is "
        + Self.words(shown)
    case .unfitDifference: "the difference does not fit the rows before"
    case .outsideBatch: "a change was reported outside willChangeContent and didChangeContent"
    case .unfinishedBatch: "didChangeContent is missing after willChangeContent"
    }
  }

  private static func words(_ row: Row?) -> String { row.map { "\($0)" } ?? "nothing" }

  private static func words(_ section: ReplayLaw<Row>.Section?) -> String {
    section.map { "'\($0.name)' [\($0.rows.map { "\($0)" }.joined(separator: ", "))]" } ?? "absent"
  }
}

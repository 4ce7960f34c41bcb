package import FetchedResults

/// An exception of a table or its data source.
package struct TableViewException: Error, Hashable, Sendable {
  package let name: String
  package let reason: String
  /// Why updates could not be performed; nil if something else was raised.
  package let problem: TableUpdateError.Kind?

  package init(name: String, reason: String) {
    self.name = name
    self.reason = reason
    problem = nil
  }

  init(_ problem: TableUpdateError) {
    name = "NSInternalInconsistencyException"
    reason = problem.description
    self.problem = problem.kind
  }
}

/// The reason why a batch of updates cannot be performed.
///
/// The messages are UIKit's, from logs that developers have published. An index path is written as
/// `0 - 1`, where a log has the whole description of an NSIndexPath. There is no published log of
/// ``movedTwice(_:to:and:)``, so its message follows its counterpart.
package enum TableUpdateError: Error, Hashable, Sendable {
  // Errors in what was there before
  case deletedSectionMissing(Int, sections: Int)
  case deletedRowMissing(ResultsIndexPath, rows: Int)
  case deletedRowWithoutSection(ResultsIndexPath, sections: Int)
  case movedRowMissing(ResultsIndexPath, rows: Int)
  case movedRowWithoutSection(ResultsIndexPath, sections: Int)
  case movedFromDeletedSection(Int)

  // Errors in what is there after
  case insertedSectionMissing(Int, sections: Int)
  case insertedRowMissing(ResultsIndexPath, rows: Int)
  case insertedRowWithoutSection(ResultsIndexPath, sections: Int)
  case moveTargetMissing(from: ResultsIndexPath, to: ResultsIndexPath, rows: Int)
  case moveTargetWithoutSection(from: ResultsIndexPath, to: ResultsIndexPath, sections: Int)
  case movedIntoInsertedSection(Int)

  // Operations that cannot be combined
  case deletedAndReloaded(ResultsIndexPath)
  case deletedAndMoved(ResultsIndexPath)
  case insertedAndMoved(ResultsIndexPath)
  case movedTwice(ResultsIndexPath, to: ResultsIndexPath, and: ResultsIndexPath)
  case movedToOneRow(ResultsIndexPath, and: ResultsIndexPath, to: ResultsIndexPath)

  // Numbers that do not add up
  case numberOfSections(before: Int, after: Int, inserted: Int, deleted: Int)
  case numberOfRows(section: Int, RowCounts)

  /// The numbers of a section that stays.
  package struct RowCounts: Hashable, Sendable {
    package var before: Int
    package var after: Int
    package var inserted = 0
    package var deleted = 0
    package var movedIn = 0
    package var movedOut = 0

    package init(before: Int, after: Int) {
      self.before = before
      self.after = after
    }

    var addUp: Bool { before + inserted - deleted + movedIn - movedOut == after }
  }
}

extension TableUpdateError {
  /// The kind of error, without the places.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case deletedSectionMissing
    case deletedRowMissing
    case deletedRowWithoutSection
    case movedRowMissing
    case movedRowWithoutSection
    case movedFromDeletedSection
    case insertedSectionMissing
    case insertedRowMissing
    case insertedRowWithoutSection
    case moveTargetMissing
    case moveTargetWithoutSection
    case movedIntoInsertedSection
    case deletedAndReloaded
    case deletedAndMoved
    case insertedAndMoved
    case movedTwice
    case movedToOneRow
    case numberOfSections
    case numberOfRows
  }

  var kind: Kind {
    switch self {
    case .deletedSectionMissing: .deletedSectionMissing
    case .deletedRowMissing: .deletedRowMissing
    case .deletedRowWithoutSection: .deletedRowWithoutSection
    case .movedRowMissing: .movedRowMissing
    case .movedRowWithoutSection: .movedRowWithoutSection
    case .movedFromDeletedSection: .movedFromDeletedSection
    case .insertedSectionMissing: .insertedSectionMissing
    case .insertedRowMissing: .insertedRowMissing
    case .insertedRowWithoutSection: .insertedRowWithoutSection
    case .moveTargetMissing: .moveTargetMissing
    case .moveTargetWithoutSection: .moveTargetWithoutSection
    case .movedIntoInsertedSection: .movedIntoInsertedSection
    case .deletedAndReloaded: .deletedAndReloaded
    case .deletedAndMoved: .deletedAndMoved
    case .insertedAndMoved: .insertedAndMoved
    case .movedTwice: .movedTwice
    case .movedToOneRow: .movedToOneRow
    case .numberOfSections: .numberOfSections
    case .numberOfRows: .numberOfRows
    }
  }
}

extension TableUpdateError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .deletedSectionMissing(let section, let sections):
      "attempt to delete section \(section), but there are only \(sections) sections before the "
        + "update"
    case .deletedRowMissing(let path, let rows):
      "attempt to delete row \(path.row) from section \(path.section) which only contains \(rows) "
        + "rows before the update"
    case .deletedRowWithoutSection(let path, let sections):
      "attempt to delete row \(path.row) from section \(path.section), but there are only "
        + "\(sections) sections before the update"
    case .movedRowMissing(let path, let rows):
      "attempt to move index path (\(path.words)) that does not exist - there are only \(rows) rows "
        + "in section \(path.section) before the update"
    case .movedRowWithoutSection(let path, let sections):
      "attempt to move index path (\(path.words)) that does not exist - there are only \(sections) "
        + "sections before the update"
    case .movedFromDeletedSection(let section):
      "cannot move a row from a deleted section (\(section))"
    case .insertedSectionMissing(let section, let sections):
      "attempt to insert section \(section) but there are only \(sections) sections after the update"
    case .insertedRowMissing(let path, let rows):
      "attempt to insert row \(path.row) into section \(path.section), but there are only \(rows) "
        + "rows in section \(path.section) after the update"
    case .insertedRowWithoutSection(let path, let sections):
      "attempt to insert row \(path.row) into section \(path.section), but there are only "
        + "\(sections) sections after the update"
    case .moveTargetMissing(let from, let to, let rows):
      "attempt to move index path (\(from.words)) to index path (\(to.words)) that does not exist - "
        + "there are only \(rows) rows in section \(to.section) after the update"
    case .moveTargetWithoutSection(let from, let to, let sections):
      "attempt to move index path (\(from.words)) to index path (\(to.words)) that does not exist - "
        + "there are only \(sections) sections after the update"
    case .movedIntoInsertedSection(let section):
      "cannot move a row into a newly inserted section (\(section))"
    case .deletedAndReloaded(let path):
      "attempt to delete and reload the same index path (\(path.words))"
    case .deletedAndMoved(let path):
      "attempt to perform a delete and a move from the same index path (\(path.words))"
    case .insertedAndMoved(let path):
      "attempt to perform an insert and a move to the same index path (\(path.words))"
    case .movedTwice(let path, let first, let second):
      "attempt to move row at index path \(path.words) to both \(first.words) and \(second.words)"
    case .movedToOneRow(let first, let second, let path):
      "attempt to move both row at index path \(first.words) and \(second.words) to \(path.words)"
    case .numberOfSections(let before, let after, let inserted, let deleted):
      "Invalid update: invalid number of sections.  The number of sections contained in the table "
        + "view after the update (\(after)) must be equal to the number of sections contained in "
        + "the table view before the update (\(before)), plus or minus the number of sections "
        + "inserted or deleted (\(inserted) inserted, \(deleted) deleted)."
    case .numberOfRows(let section, let counts):
      "Invalid update: invalid number of rows in section \(section).  The number of rows contained "
        + "in an existing section after the update (\(counts.after)) must be equal to the number "
        + "of rows contained in that section before the update (\(counts.before)), plus or minus "
        + "the number of rows inserted or deleted from that section (\(counts.inserted) inserted, "
        + "\(counts.deleted) deleted) and plus or minus the number of rows moved into or out of "
        + "that section (\(counts.movedIn) moved in, \(counts.movedOut) moved out)."
    }
  }
}

extension ResultsIndexPath {
  /// A text such as `0 - 1`.
  fileprivate var words: String { "\(section) - \(row)" }
}

/// The cells that a table shows after a batch of updates, computed without a table.
package struct TableOutcome: Hashable, Sendable {
  /// The index path that each cell had before the batch, for each section and row after it; nil if
  /// the table requests a new cell from its data source.
  package let sources: [[ResultsIndexPath?]]

  /// Returns the first rule of UIKit that a batch breaks; nil if it breaks none.
  ///
  /// - Complexity: O(*s* + *k* log *k*) for *s* sections and *k* operations, whatever the numbers
  ///   of rows.
  package static func error(
    of operations: [TableOperation], before: [Int], after: [Int]
  ) -> TableUpdateError? {
    do throws(TableUpdateError) {
      _ = try plan(of: operations, before: before, after: after)
      return nil
    } catch {
      return error
    }
  }

  private static func plan(
    of operations: [TableOperation], before: [Int], after: [Int]
  ) throws(TableUpdateError) -> TableUpdatePlan {
    var update = TableUpdate()
    var before = before
    for operation in operations {
      update.record(operation)
      guard case .reloadData = operation else { continue }
      update = TableUpdate()
      before = after
    }
    return try update.plan(before: before, after: after)
  }

  /// Computes the result of a batch.
  ///
  /// - Parameters:
  ///   - operations: The operations between `beginUpdates` and `endUpdates`. A `reloadData` drops
  ///     those before it.
  ///   - before: The numbers of rows in the sections that the table shows.
  ///   - after: The numbers that its data source returns now; none is negative.
  /// - Throws: The first rule of UIKit that the batch breaks.
  /// - Complexity: O(*n* + *k* log *k*) for *n* rows and *k* operations.
  package init(
    of operations: [TableOperation], before: [Int], after: [Int]
  ) throws(TableUpdateError) {
    let plan = try Self.plan(of: operations, before: before, after: after)
    guard !operations.contains(.reloadData) else {
      sources = after.map { Array(repeating: nil, count: $0) }
      return
    }
    sources = plan.sections.enumerated().map { index, section in
      switch section {
      case .inserted: Array(repeating: nil, count: after[index])
      case .kept(let old, nil):
        (0..<before[old]).map { ResultsIndexPath(section: old, row: $0) }
      case .kept(_, let edits?):
        edits.rows.map { row in
          switch row {
          case .inserted, .reloaded: nil
          case .moved(let path), .kept(let path): path
          }
        }
      }
    }
  }
}

/// An operation of a table, in UIKit's words.
package enum TableOperation: Hashable, Sendable {
  case beginUpdates
  case endUpdates
  case insertRows(ResultsIndexPath)
  case deleteRows(ResultsIndexPath)
  case reloadRows(ResultsIndexPath)
  case moveRow(ResultsIndexPath, to: ResultsIndexPath)
  case insertSections(Int)
  case deleteSections(Int)
  /// Gives a cell on the screen another content, without telling the table.
  case configureCell(ResultsIndexPath)
  case reloadData

  /// The name of UIKit's method.
  ///
  /// `configureCell` is the method in Xcode's template.
  package var name: String {
    switch self {
    case .beginUpdates: "beginUpdates"
    case .endUpdates: "endUpdates"
    case .insertRows: "insertRows"
    case .deleteRows: "deleteRows"
    case .reloadRows: "reloadRows"
    case .moveRow: "moveRow"
    case .insertSections: "insertSections"
    case .deleteSections: "deleteSections"
    case .configureCell: "configureCell"
    case .reloadData: "reloadData"
    }
  }
}

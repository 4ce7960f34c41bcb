import FetchedResults

/// The operations that a table has recorded since `beginUpdates`.
///
/// Repeated operations count once. A reload is a delete and an insert, and the new cell is where
/// the table finds the row after the batch.
struct TableUpdate {
  private(set) var deletedRows: Set<ResultsIndexPath> = []
  private(set) var reloadedRows: Set<ResultsIndexPath> = []
  private(set) var insertedRows: Set<ResultsIndexPath> = []
  private(set) var moves: [Move] = []
  private(set) var deletedSections: Set<Int> = []
  private(set) var insertedSections: Set<Int> = []

  struct Move {
    let from: ResultsIndexPath
    let to: ResultsIndexPath
  }

  var isEmpty: Bool { count == 0 }

  /// The number of different operations.
  var count: Int {
    deletedRows.count + reloadedRows.count + insertedRows.count + moves.count
      + deletedSections.count + insertedSections.count
  }

  /// Records an operation that is performed at the end of the batch.
  ///
  /// Others are ignored.
  mutating func record(_ operation: TableOperation) {
    switch operation {
    case .deleteRows(let path): deletedRows.insert(path)
    case .reloadRows(let path): reloadedRows.insert(path)
    case .insertRows(let path): insertedRows.insert(path)
    case .moveRow(let from, let to): moves.append(Move(from: from, to: to))
    case .deleteSections(let section): deletedSections.insert(section)
    case .insertSections(let section): insertedSections.insert(section)
    case .beginUpdates, .endUpdates, .configureCell, .reloadData: break
    }
  }
}

/// The origin of each section and row after a batch.
struct TableUpdatePlan {
  /// The sections after the batch.
  var sections: [Section] = []

  enum Section {
    /// A section that is loaded from the data source.
    case inserted
    /// A section that stays, by its index before the batch, and what happens to its rows; nil if
    /// all are as they were.
    case kept(Int, edits: SectionEdits?)
  }

  enum Row {
    /// A row that is loaded from the data source.
    case inserted
    case reloaded(ResultsIndexPath)
    case moved(ResultsIndexPath)
    case kept(ResultsIndexPath)
  }
}

import FetchedResults

/// The operations that a table has recorded since `beginUpdates`.
///
/// What is recorded twice counts once; a reload is a delete and an insert, and what it puts in is
/// where the table finds the row after the batch.
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

  /// How many different operations there are.
  var count: Int {
    deletedRows.count + reloadedRows.count + insertedRows.count + moves.count
      + deletedSections.count + insertedSections.count
  }

  /// Records an operation that is performed at the batch's end; others are none of its business.
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

/// Where each section and row after a batch comes from.
struct TableUpdatePlan {
  /// The sections after the batch.
  var sections: [Section] = []

  enum Section {
    /// A section that is asked for again.
    case inserted
    /// A section that stays, by its index before the batch, and where its rows come from; nil if
    /// all are as they were.
    case kept(Int, rows: [Row]?)
  }

  enum Row {
    /// A row that is asked for again.
    case inserted
    case reloaded(ResultsIndexPath)
    case moved(ResultsIndexPath)
    case kept(ResultsIndexPath)
  }
}

import FetchedResults
import ScriptRuntime
import TableViews

extension LoggedException {
  /// A text such as `UITableView raised: …`.
  var words: String {
    let view = isOfCollection ? "UICollectionView" : isOfTable ? "UITableView" : "UIKit"
    return switch meaning {
    case .refused, .inconsistent, .cut: "\(view) raised: \(shownReason)"
    case .beyondBounds, .noObject, .noSection, .noSortDescriptors, .staleSectionCache,
      .sectionsOutOfOrder, .notUnique, .snapshotInUse, .snapshotSections, .animation,
      .twoAnimations, .invalidIndexPath, .scrolled, .toManyKey, .unknownKeyPath, .noEntity,
      .notFetched, .unfulfilledFault:
      "Raised: \(shownReason)"
    case .message: (isWarning ? "A warning: " : "Raised: ") + shownReason
    case .unknown where isSignal: "The app ended with \(name ?? "a signal"), which has no message."
    case .unknown where reason.isEmpty:
      name.map { "\($0) was raised. The log does not have its message." }
        ?? "The app crashed. The log does not have a message."
    case .unknown: "Raised: " + (name.map { "\($0): " } ?? "") + shownReason
    }
  }

  /// Whether the app ended by a signal, and not by an exception.
  var isSignal: Bool { name?.hasPrefix("EXC_") == true || name?.hasPrefix("SIG") == true }

  /// The reason, without the rest of a very long one.
  private var shownReason: String {
    reason.count > Self.mostCharacters ? reason.prefix(Self.mostCharacters) + "…" : reason
  }

  private static let mostCharacters = 2_000
}

/// Describes an exception without its batch.
struct ExceptionText {
  private(set) var facts: [String] = []
  private(set) var change: [String] = []
  private(set) var unknown: [String] = []

  init(_ exception: LoggedException, in batch: LogBatch?) {
    facts = [exception.words]
    if batch?.followsSilentChange == true {
      facts.append("The sections had changed since the last batch without a callback.")
      facts.append("rule not-fetched: a fetch itself sends no callback")
      change = ["Call reloadData after each performFetch."]
    }
    switch exception.meaning {
    case .inconsistent(let before, let after, let operations, let error):
      let called = operations?.map(\.description).joined(separator: ", ")
      facts.append(
        "The sections had \(before) rows, and the data source has \(after) now."
          + (called.map { " The app called \($0.isEmpty ? "no operation" : $0)." } ?? ""))
      if operations == nil {
        unknown.append("frc cannot read the list of updates, so it does not know the operations.")
      } else if let error {
        explain(error)
        change += Self.changes(for: error)
      } else {
        unknown.append("frc cannot find the contradiction in these numbers.")
      }
    case .refused(let error):
      explain(error)
      change += Self.changes(for: error)
      unknown.append(
        batch?.callbacks.isEmpty == false
          ? "No common mistake with the callbacks of line \(batch?.firstLine ?? 0) produces this. "
            + Self.unknownOperations(in: batch)
          : "The log has no callbacks of this turn, so frc cannot tell which one went wrong. Print "
            + "them in controller(_:didChange:at:for:newIndexPath:): \(LoggingCode.object)")
    case .cut where exception.lacksRow: explainPair(exception.reason)
    case .beyondBounds, .noObject, .noSection, .noSortDescriptors, .staleSectionCache,
      .sectionsOutOfOrder, .notUnique, .snapshotInUse, .snapshotSections, .animation,
      .twoAnimations, .invalidIndexPath, .scrolled, .toManyKey, .unknownKeyPath, .noEntity,
      .notFetched, .unfulfilledFault, .message, .cut, .unknown:
      explain(exception.meaning)
    }
    if !exception.isKnown, let symbol = exception.symbol { explain(symbol) }
    if exception.meaning == .unknown, exception.reason.isEmpty {
      unknown = [
        exception.isSignal
          ? "Record the callbacks to see in which turn the app ended: frc swift --recorder."
          : "The message is above the call stack or in the console. Add it to the log, or record the "
            + "callbacks: frc swift --recorder."
      ]
    }
    guard exception.isOfCollection else { return }
    facts = facts.prefix(1) + facts.dropFirst().map(Self.ofCollection)
    change = change.map(Self.ofCollection)
  }

  /// Returns why the operations of a batch do not explain its exception.
  private static func unknownOperations(in batch: LogBatch?) -> String {
    guard let batch, !batch.operations.isEmpty else {
      return "The log does not show which operations the app called."
    }
    return batch.tableIsBroken
      ? "The app's operations were not checked, because the table did not follow an earlier batch."
      : "frc found no mistake in the operations that the log shows."
  }

  /// Returns the text in the words of a collection view.
  private static func ofCollection(_ text: String) -> String {
    [
      ("The table", "The collection view"), ("insertRows", "insertItems"),
      ("deleteRows", "deleteItems"), ("reloadRows", "reloadItems"), ("moveRow", "moveItem"),
      ("within beginUpdates and endUpdates", "within performBatchUpdates"),
      ("before beginUpdates", "before performBatchUpdates"),
    ].reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  private mutating func add(_ rules: [Rule]) {
    if let words = rules.words { facts.append(words) }
  }

  // MARK: A batch that was refused

  private mutating func explain(_ error: TableUpdateError) {
    switch error {
    case .numberOfRows(let section, let counts): explainRows(section, counts)
    case .numberOfSections(let before, let after, let inserted, let deleted):
      explainSections(before, after, inserted, deleted)
    case .deletedRowMissing(let path, let rows):
      facts.append(
        "The table had \(rows.of("row")) in section \(path.section) before the turn"
          + (rows > 0 ? ", so the last one was \(rows - 1)" : "")
          + ". \(path) is not an old index path, or the table had missed an earlier change.")
      add([.deleted, .stoppedMatching])
    case .deletedRowWithoutSection(let path, let sections),
      .movedRowWithoutSection(let path, let sections):
      facts.append(
        "The table had \(sections.of("section")) before the turn, and \(path) is in none of them.")
      add([.sectionEmptied])
    case .deletedSectionMissing(let section, let sections):
      facts.append(
        "The table had \(sections.of("section")) before the turn, so there was no section "
          + "\(section).")
      add([.sectionEmptied])
    case .movedRowMissing(let path, let rows):
      facts.append(
        "The table had \(rows.of("row")) in section \(path.section) before the turn, and \(path) "
          + "does not exist.")
      add([.passedUnchanged])
    case .movedFromDeletedSection(let section):
      facts.append(
        "A row was moved out of section \(section), which was deleted in the same update. UIKit "
          + "deletes the rows of a deleted section, so none can be moved out.")
      add([.changedSection])
      add([.sectionEmptied])
    case .insertedSectionMissing(let section, let sections):
      facts.append(
        "The data source has \(sections.of("section")) after the turn, so there is no section "
          + "\(section).")
      add([.sectionFilled])
    case .insertedRowMissing(let path, let rows):
      facts.append(
        "The data source has \(rows.of("row")) in section \(path.section) after the turn. "
          + "\(path) is not a new index path, or the data source is not the controller.")
      add([.created, .startedMatching])
    case .insertedRowWithoutSection(let path, let sections),
      .moveTargetWithoutSection(_, let path, let sections):
      facts.append(
        "The data source has \(sections.of("section")) after the turn, and \(path) is in none of "
          + "them.")
      add([.sectionFilled])
    case .moveTargetMissing(_, let path, let rows):
      facts.append(
        "The data source has \(rows.of("row")) in section \(path.section) after the turn, and "
          + "\(path) does not exist.")
      add([.passedUnchanged])
    case .movedIntoInsertedSection(let section):
      facts.append(
        "A row was moved into section \(section), which was inserted in the same update. UIKit "
          + "loads the rows of a new section itself, so none can be moved in.")
      add([.changedSection])
      add([.sectionFilled])
    case .deletedAndReloaded(let path), .deletedAndMoved(let path):
      explainRemovals(at: "\(path)")
    case .insertedAndMoved(let path): explainArrivals(at: "\(path)")
    case .movedTwice(let path, _, _):
      facts.append("Two moves remove the row at \(path).")
    case .movedToOneRow(_, _, let path): facts.append("Two moves put a row at \(path).")
    }
  }

  private mutating func explainRemovals(at place: String) {
    facts.append(
      "Two operations remove the row at \(place): a reload is a delete and an insert, and a "
        + "move removes its row, too.")
    add([.updateAndMove])
  }

  private mutating func explainArrivals(at place: String) {
    facts.append(
      "Two operations put a row at \(place): a reload is a delete and an insert, and a move "
        + "puts its row at the same place.")
    add([.passedChanged])
  }

  /// Explains a sentence about two operations on one row, without the row's index path.
  private mutating func explainPair(_ reason: String) {
    let place = "one index path"
    if reason.contains("an insert and") {
      explainArrivals(at: place)
    } else {
      explainRemovals(at: place)
    }
    change += Self.changesOfPair
    unknown.append("The index path is missing. Copy the whole sentence to see which row it is.")
  }

  private mutating func explainRows(_ section: Int, _ counts: TableUpdateError.RowCounts) {
    let told = counts.inserted + counts.movedIn
    let taken = counts.deleted + counts.movedOut
    let expected = counts.before + told - taken
    let missing = counts.after - expected
    facts.append(
      "Section \(section) had \(counts.before.of("row")), and the data source has \(counts.after) "
        + "now. The app inserted \(told.of("row")) and deleted \(taken), which gives \(expected).")
    if told == 0, taken == 0 {
      facts.append("No insert or delete was called.")
    } else if counts.after == counts.before {
      facts.append("The data source has as many rows as before, as if nothing had changed.")
    } else if missing > 0 {
      facts.append(Self.words(missing, "insert", surplus: counts.deleted, "delete"))
    } else {
      facts.append(Self.words(-missing, "delete", surplus: counts.inserted, "insert"))
    }
    add(
      missing > 0
        ? [.created, .startedMatching, .changedSection]
        : [
          .deleted, .stoppedMatching, .changedSection,
        ])
  }

  /// Returns which operations are missing, or too many if so many were called.
  private static func words(
    _ missing: Int, _ operation: String, surplus called: Int, _ opposite: String
  ) -> String {
    let verb = missing == 1 ? "is" : "are"
    let text = "\(missing.of(operation)) \(verb) missing"
    return called < missing ? text + "." : text + ", or \(missing.of(opposite)) \(verb) too many."
  }

  private mutating func explainSections(
    _ before: Int, _ after: Int, _ inserted: Int, _ deleted: Int
  ) {
    facts.append(
      "The table had \(before.of("section")), and the data source has \(after) now. The app "
        + "inserted \(inserted.of("section")) and deleted \(deleted), which gives "
        + "\(before + inserted - deleted).")
    let missing = after - (before + inserted - deleted)
    if inserted == 0, deleted == 0 {
      facts.append("No insertSections and no deleteSections was called.")
      add([missing > 0 ? .sectionFilled : .sectionEmptied])
      add([.notImplemented])
    } else if before == after {
      facts.append("The data source has as many sections as before, as if nothing had changed.")
      add([missing < 0 ? .sectionFilled : .sectionEmptied])
    } else {
      add([missing > 0 ? .sectionFilled : .sectionEmptied])
    }
  }

  /// A section may come or go at the row's place, so the move must be carried out.
  static let samePathMove =
    "Carry a move out even if both index paths are the same: the row may come into another section."

  /// What to change if two operations of a batch are about one row.
  private static let changesOfPair = [
    "Do not reload rows in a batch that moves rows. Configure the visible cell of an update, or "
      + "reload after the batch.",
    "Handle a move with deleteRows and insertRows. Ignore the update of an object that moves: iOS "
      + "8 and 9 sent both. \(samePathMove)",
  ]

  /// Returns what to change in an app that raises an exception.
  static func changes(for error: TableUpdateError) -> [String] {
    switch error {
    case .numberOfRows(_, let counts) where counts.before == counts.after:
      [
        "If the table counted its rows after the change and before beginUpdates, it has the new "
          + "rows already: call neither reloadData nor layoutIfNeeded there.",
        "If the app deletes rows itself, delete the objects instead, and let the callbacks delete "
          + "the rows.",
        "Look for a second delegate that handles the same callbacks.",
      ]
    case .numberOfRows(_, let counts) where counts.inserted + counts.deleted == 0:
      [
        "Handle every callback: insertRows, deleteRows, and both for a move.",
        "Call reloadData after performFetch, which sends no callback.",
        "Set the delegate before performFetch, and take numbers of rows from the controller only.",
      ]
    case .numberOfRows:
      [
        "Handle every callback of the turn, moves included: deleteRows at the old and insertRows at "
          + "the new index path.",
        "Make sure that table and controller agree first: call reloadData after performFetch.",
      ]
    case .numberOfSections(let before, let after, _, _) where before == after:
      [
        "The table counted the new sections before beginUpdates. Do not call reloadData or lay the "
          + "table out between the change and the callbacks, and load the view before the fetch.",
        "Look for a second delegate that handles the same callbacks.",
      ]
    case .numberOfSections, .deletedSectionMissing, .insertedSectionMissing,
      .insertedRowWithoutSection, .deletedRowWithoutSection, .movedRowWithoutSection,
      .moveTargetWithoutSection:
      [
        "Implement controller(_:didChange:atSectionIndex:for:). Call insertSections for an insert "
          + "and deleteSections for a delete.",
        "Return the number of the controller's sections in numberOfSections(in:), even if it is 0.",
      ]
    case .deletedRowMissing, .movedRowMissing:
      [
        "Delete and reload rows at the old index path (indexPath), within beginUpdates and "
          + "endUpdates of the same turn.",
        "Call reloadData after performFetch, and handle each callback once.",
      ]
    case .insertedRowMissing, .moveTargetMissing:
      [
        "Insert rows at the new index path (newIndexPath).",
        "Take the number of rows from the controller's sections, not from a copy of the objects.",
      ]
    case .movedFromDeletedSection, .movedIntoInsertedSection:
      [
        "Handle a move with deleteRows at the old and insertRows at the new index path. UIKit "
          + "allows these together with inserted and deleted sections."
      ]
    case .deletedAndReloaded, .deletedAndMoved, .insertedAndMoved: changesOfPair
    case .movedTwice, .movedToOneRow: ["Handle each callback once."]
    }
  }

  // MARK: Other exceptions

  /// Explains an exception by the method that raised it.
  private mutating func explain(_ symbol: String) {
    facts.append("The call stack begins in \(symbol).")
    if symbol.contains("NSFetchedResultsController objectAtIndexPath") {
      facts.append("object(at:) was called for an index path that is not a row.")
      change = Self.lookups
    }
    if ["_endCellAnimations", "_endItemAnimations", "_Bug_Detected_In_Client"].contains(
      where: symbol.contains)
    {
      facts.append("The table or collection view refused a batch of updates.")
    }
  }

  private static let lookups = [
    "In didChangeObject the controller already has the new rows, and indexPath counts in the "
      + "old ones. Use the object of the callback.",
    "In the data source, ask only for rows within the numbers that the controller gave.",
  ]

  private mutating func explain(_ meaning: LoggedException.Meaning) {
    switch meaning {
    case .twoAnimations:
      facts.append("A table view was told to animate one cell twice in one update.")
      change = [
        "Do not reload a row in a batch that moves rows. Configure its visible cell instead, or "
          + "reload it after the batch."
      ]
    case .invalidIndexPath:
      facts.append("An operation got an index path whose section or row is NSNotFound.")
      change = [
        "Check index paths from indexPath(forObject:) and firstIndex(of:). They do not exist for an "
          + "object that is not in the results.",
        "Use newIndexPath for an insert only, and indexPath for a delete or an update.",
      ]
    case .scrolled(let row, let section, let count):
      facts.append(
        row.map { row in
          "The app scrolled to row \(row) of section \(section), which has \(count.of("row"))."
        } ?? "The app scrolled to section \(section), and the table has \(count.of("section")).")
      change = [
        "Scroll after the update, and compare the index path with the table's own numbers first."
      ]
    case .toManyKey:
      facts.append("A key goes through a to-many relationship, where one value is needed.")
      change = [
        "Put ANY or ALL before the key in a predicate, or use SUBQUERY. A sort key and a section key "
          + "cannot go through a to-many relationship."
      ]
    case .unknownKeyPath(let key):
      facts.append("A fetch request uses '\(key)', which is not in its entity.")
      change = [
        "Look for '\(key)' in the predicate, the sort descriptors and the section key path. A store "
          + "knows only the attributes and relationships of the model, no computed properties."
      ]
    case .noEntity:
      facts.append("A fetch request has no entity.")
      change = [
        "Create the request with the name of an entity, and load the store's model before it is used."
      ]
    case .notFetched:
      facts.append("The controller was read before performFetch.")
      change = ["Call performFetch before the table loads its rows."]
    case .beyondBounds(let index, let count):
      facts.append(
        "The app or a framework used index \(index) of an array"
          + (count.map { ", which has \($0.of("object"))." } ?? ".")
          + (index == Int.max ? " This number is NSNotFound." : ""))
      change = [
        "In didChangeObject the controller already has the new rows, and indexPath counts in the "
          + "old ones. Configure a cell with the object of the callback, or with object(at: "
          + "newIndexPath)."
      ]
      unknown = ["The log does not say which line of the app did that. The call stack does."]
    case .noObject(let row, let section):
      facts.append("object(at:) was called for [\(section), \(row)], which is not a row.")
      add([.keptPlace])
      change = Self.lookups
    case .noSection(let section):
      facts.append(
        "The app asked the controller for section \(section), which does not exist."
          + (section < 0 || section == Int.max ? " The index path is not valid." : ""))
      change = [
        "Take the number of sections from the controller. Without rows and with a section key path "
          + "it has no section."
      ]
    case .noSortDescriptors: change = ["Give the fetch request at least one sort descriptor."]
    case .staleSectionCache:
      facts.append(
        "The section cache belongs to another predicate, sort order or section key path.")
      change = [
        "Call NSFetchedResultsController.deleteCache(withName:) before the request changes, or use "
          + "cacheName: nil."
      ]
    case .sectionsOutOfOrder(let index, let name):
      facts.append(
        "The object at index \(index) follows another section, although section \"\(name)\" had ended "
          + "before.")
      change = ["Sort by the section key path first, in the same order as the sections."]
    case .notUnique:
      facts.append("A snapshot names one item or section twice.")
      change = [
        "Use NSManagedObjectID as the item, and the section's name as the section. Items must be "
          + "unique over all sections."
      ]
    case .snapshotInUse:
      change = ["Apply snapshots on the main queue only, one after the other."]
    case .snapshotSections:
      facts.append("The data source had other sections than the snapshot that was applied.")
      change = ["Change a copy of the snapshot, and apply it once. Apply on one queue only."]
    case .animation:
      facts.append("A table computed an animation for rows that do not exist.")
      change = ["Delete and insert the rows of a turn within one beginUpdates and endUpdates."]
      unknown = ["UIKit does not say which row it was."]
    case .unfulfilledFault:
      facts.append("An object was read whose row is no longer in the store.")
      change = [
        "Do not keep objects that another context deletes. Since iOS 9, "
          + "shouldDeleteInaccessibleFaults makes their values nil instead."
      ]
    case .message(let message, let gaps):
      let text = KnownMessageText(message, gaps)
      facts.append(text.fact)
      change = text.change
    case .cut:
      unknown = [
        "The numbers of this sentence are missing. Copy the whole sentence from the console or the "
          + "crash report."
      ]
    case .unknown:
      unknown = ["frc does not know this message, so it cannot say what caused it."]
    case .refused, .inconsistent: break
    }
  }
}

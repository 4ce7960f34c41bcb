import Basics
import FetchedResults
import LogReplay
import TableViews
import Testing

/// Messages that are not about the numbers of a batch.
@Suite("Known messages")
struct KnownMessageTests {
  /// A text for each message, as it may stand alone in a line, and words of its explanation.
  static let samples: [(KnownMessage, text: String, words: String)] = [
    (
      .sectionsAsked,
      "request for number of rows in section 3 when there are only 1 sections in the table view",
      "the rows of section 3, and it has 1 sections"
    ),
    (
      .globalIndex,
      "request for index path for global index 624 when there are only 2 items in the collection view",
      "item number 624, and the view has 2"
    ),
    (
      .layoutAttributes,
      "UICollectionView recieved layout attributes for a cell with an index path that does not exist",
      "attributes for a cell"
    ),
    (
      .layoutIgnored,
      "Layout attributes <A: 0x7> index path: (<NSIndexPath: 0xc> {length = 2, path = 0 - 0}); were "
        + "received from the layout <L: 0x7> but are not valid for the data source counts.",
      "A warning: Layout"
    ),
    (
      .noLayoutAttributes,
      "no UICollectionViewLayoutAttributes instance for -layoutAttributesForItemAtIndexPath: 0 - 1",
      "has no attributes"
    ),
    (
      .noCell, "UITableView dataSource must return a cell from tableView:cellForRowAtIndexPath:",
      "returned no cell"
    ),
    (
      .noCellRegistered,
      "unable to dequeue a cell with identifier Row - must register a nib or a class",
      "for the cell Row"
    ),
    (
      .noCellRegistered,
      "could not dequeue a view of kind: UICollectionElementKindCell with identifier Tile - must "
        + "register a nib",
      "for the cell Tile"
    ),
    (
      .cellNotDequeued,
      "the cell returned from -collectionView:cellForItemAtIndexPath: does not have a reuseIdentifier",
      "was not dequeued"
    ),
    (
      .cellDequeuedTwice,
      "Attempted to dequeue multiple cells for the same index path, which is not allowed.",
      "two cells for one index path"
    ),
    (
      .sectionMap,
      "UITableView internal bug: unable to generate a new section map with old section count: 1 and new "
        + "section count: 0 for batch updates",
      "had 1 sections, and the data source has 0"
    ),
    (
      .updateInLayout,
      "UITableView internal inconsistency: _visibleRows and _visibleCells must be of same length. "
        + "_visibleRows: {0, 3}",
      "while it was loading"
    ),
    (
      .wrongIndexPath,
      "Invalid index path for use with UITableView. Index paths passed to table view must contain "
        + "exactly two indices",
      "two numbers"
    ),
    (
      .layoutOutsideWindow,
      "[TableView] Warning once only: UITableView was told to layout its visible cells and other "
        + "contents without being in the view hierarchy",
      "before it was in a window"
    ),
    (
      .diffableView,
      "UITableView must be updated via the UITableViewDiffableDataSource APIs when acting as its "
        + "dataSource",
      "diffable data source"
    ),
    (
      .itemsExist,
      "Diffable data source detected an attempt to insert or append 3 item identifiers that already "
        + "exist in the snapshot.",
      "added 3 items"
    ),
    (
      .itemNotInSnapshot,
      "Attempted to reload item identifier that does not exist in the snapshot: Item",
      "snapshot does not have"
    ),
    (
      .sectionNotInSnapshot, "Invalid parameter not satisfying: section != NSNotFound",
      "named a section"
    ),
    (
      .backgroundThread,
      "Modifications to the layout engine must not be performed from a background thread after it",
      "not the main thread"
    ),
    (
      .wrongQueue,
      "reason: '__Multithreading_Violation_AllThatIsLeftToUsIsHonor__'", "outside of the context"
    ),
    (
      .changedInLoop,
      "NSGenericException: *** Collection <__NSCFSet: 0x6> was mutated while being enumerated.",
      "in a loop"
    ),
    (
      .temporaryID, "cannot find data for a temporary oid: 0x7f <x-coredata://7B/Book/t1>",
      "is temporary"
    ),
    (
      .noCoordinator,
      "+entityForName: nil is not a legal NSPersistentStoreCoordinator for searching for entity name "
        + "'Book'",
      "the entity Book cannot"
    ),
    (
      .noEntityNamed, "+entityForName: could not locate an entity named 'Bok' in this model.",
      "an entity Bok"
    ),
    (
      .noDescription,
      "An NSManagedObject of class 'Book' must have a valid NSEntityDescription.",
      "without an entity"
    ),
    (
      .noDesignatedInitializer,
      "Failed to call designated initializer on NSManagedObject class 'Book'", "An object of Book"
    ),
    (
      .otherContext,
      "Illegal attempt to establish a relationship 'author' between objects in different contexts",
      "'author'"
    ),
    (
      .deletedInOtherContext, "An NSManagedObjectContext cannot delete objects in other contexts.",
      "does not belong to"
    ),
    (
      .wrongType,
      "Unacceptable type of value for attribute: property = \"date\"; desired type = NSDate; given type "
        + "= __NSCFString; value = x.",
      "'date' needs NSDate, and was given __NSCFString"
    ),
    (
      .noSuchKey,
      "NSUnknownKeyException: the entity Book is not key value coding-compliant for the key \"titel\".",
      "'titel'"
    ),
    (.noSQL, "unimplemented SQL generation for predicate : (a == b)", "SQLite store cannot"),
    (
      .noStore,
      "This NSPersistentStoreCoordinator has no persistent stores. It cannot perform a save "
        + "operation.",
      "has no store"
    ),
    (
      .storeNotReachable,
      "Object's persistent store is not reachable from this NSManagedObjectContext's coordinator",
      "removed store"
    ),
    (
      .stillDirty,
      "Failed to process pending changes before save. The context is still dirty after 1000 attempts.",
      "has no end"
    ),
    (
      .recursiveSave, "attempt to recursively call -save: on the context aborted",
      "while it was being saved"
    ),
    (
      .invalidated, "The NSManagedObject with ID:0x6 <x-coredata://A/B/p1> has been invalidated.",
      "was reset"
    ),
    (
      .twoModels,
      "CoreData: warning: Multiple NSEntityDescriptions claim the NSManagedObject subclass 'Book' so "
        + "+entity is unable to disambiguate.",
      "so Book belongs to two"
    ),
    (
      .otherModel,
      "The model used to open the store is incompatible with the one used to create it",
      "another version"
    ),
    (.mergeConflict, "NSMergeException: optimistic locking failure", "newer values"),
    (
      .unknownSelector,
      "NSInvalidArgumentException: -[__NSArray0 title]: unrecognized selector sent to instance 0x6",
      "received [__NSArray0 title]"
    ),
    (
      .indexOutOfRange, "Swift/ContiguousArrayBuffer.swift:600: Fatal error: Index out of range",
      "read an array"
    ),
    (
      .foundNil,
      "App/List.swift:40: Fatal error: Unexpectedly found nil while unwrapping an Optional value",
      "unwraps it"
    ),
    (
      .wrongCast,
      "NSException: Could not cast value of type 'NSManagedObject' (0x1) to 'App.Book' (0x2).",
      "the class NSManagedObject, and the app casts it to App.Book"
    ),
    (
      .parameter, "Invalid parameter not satisfying: predicate != nil",
      "'predicate != nil' is false"
    ),
  ]

  @Test("Each message is found in a line, and explained", arguments: samples.indices)
  func explained(_ place: Int) throws {
    let (message, text, words) = Self.samples[place]
    let log = try LogReader.read(Array(text.utf8), named: "log")
    guard case .exception(let exception) = log.entries.first?.event,
      case .message(let found, _) = exception.meaning
    else {
      Issue.record("\(text): \(log.entries)")
      return
    }
    #expect(found == message)
    let diagnosis = Diagnosis(log)
    let lines = diagnosis.lines.joined(separator: "\n")
    #expect(lines.contains(words), "\(lines)")
    #expect(lines.contains("What to change:"))
    #expect(diagnosis.mistakes.map(\.kind) == [exception.isWarning ? .warning : .exception])
    if text != text.prefix(while: { $0 != "\"" }) { return }
    #expect(CrashAnswer(text)?.lines.count == 3)
  }

  private static let path = ResultsIndexPath(section: 0, row: 3)
  private static let other = ResultsIndexPath(section: 1, row: 2)

  private static let errors: [TableUpdateError] = [
    .numberOfRows(section: 0, TableUpdateError.RowCounts(before: 3, after: 4)),
    .numberOfSections(before: 1, after: 2, inserted: 0, deleted: 0),
    .deletedSectionMissing(4, sections: 4), .deletedRowMissing(path, rows: 3),
    .deletedRowWithoutSection(path, sections: 0), .movedRowMissing(path, rows: 3),
    .movedRowWithoutSection(path, sections: 0), .movedFromDeletedSection(1),
    .insertedSectionMissing(4, sections: 4), .insertedRowMissing(path, rows: 3),
    .insertedRowWithoutSection(path, sections: 0),
    .moveTargetMissing(from: path, to: other, rows: 2),
    .moveTargetWithoutSection(from: path, to: other, sections: 1), .movedIntoInsertedSection(1),
    .deletedAndReloaded(path), .deletedAndMoved(path), .insertedAndMoved(path),
    .movedTwice(path, to: other, and: path), .movedToOneRow(path, and: other, to: path),
  ]

  /// Sentences that are no ``KnownMessage``.
  private static let sentences = [
    "An instance of NSFetchedResultsController requires a fetch request with sort descriptors",
    "CoreData: FATAL ERROR: The persistent cache of section information does not match the current "
      + "configuration.",
    "The fetched object at index 2 has an out of order section name 'B. Objects must be sorted by "
      + "section name'",
    "Fatal: supplied item identifiers are not unique. Duplicate identifiers: {(",
    "deadlock detected",
    "Deadlock detected: calling this method on the main queue with outstanding async updates",
    "Identifiers in a section snapshot must be unique.",
    "Invalid parameter not satisfying: dataSourceSnapshot.numberOfSections == "
      + "sectionIdentifiers.count",
    "Cell animation stop fraction must be greater than start fraction",
    "CoreData could not fulfill a fault for '0x6 <x-coredata://A/Book/p1>'",
    "Attempt to create two animations for cell",
    "attempt to perform an insert with invalid index path",
    "to-many key not allowed here", "A fetch request must have an entity",
    "executeFetchRequest:error: A fetch request must have an entity.",
    "cannot access fetched objects before -performFetch:",
    "keypath shelf.code not found in entity Book", "keypath shelf.code not found in entity",
    "no object at index 2 in section at index 0", "no section at index 4",
    "Attempted to scroll the table view to an out-of-bounds row (9) when there are only 3 rows in "
      + "section 0.",
    "Attempted to scroll the table view to an out-of-bounds section (9) when there are only 3 "
      + "sections.",
    "-[UITableView _contentOffsetForScrollingToRowAtIndexPath:]: row (5) beyond bounds (3) for section "
      + "(0).", "section (5) beyond bounds (3).", "index (3) beyond bounds (3)",
    "-[__NSArrayM objectAtIndex:]: index 3 beyond bounds [0 .. 2]",
    "index 0 beyond bounds for empty array",
    "UITableView dataSource returned a nil cell for row at index path: 0 - 1",
    "UITableView (<UITableView: 0x7>) failed to obtain a cell from its dataSource (<A: 0x6>)",
    "Attempted to call -cellForRowAtIndexPath: on the table view while it was in the process of "
      + "updating its visible cells, which is not allowed.",
    "Attempted to delete item identifier that does not exist in the snapshot: Item",
    "+entityForName: could not locate an NSManagedObjectModel for entity name 'Book'",
    "[<App.Book 0x6> valueForUndefinedKey:]: this class is not key value coding-compliant for the key "
      + "titel.", "the entity Book is not key value coding-compliant for the key titel",
    "The context is still dirty after 1000 attempts.", "Unable to generate SQL for predicate (a)",
    "unsupported NSSortDescriptor (block)", "unrecognized selector sent to instance 0x6",
    "NSMergeConflict (0x6) for NSManagedObject (0x7)", "Call must be made on main thread",
    "*** Collection <__NSArrayM: 0x6> was mutated while being enumerated.",
    "Fatal error: Index out of range",
  ]

  /// Each sentence that frc knows, without the name of its exception before it.
  static let bare =
    errors.map(\.description) + sentences
    + samples.map { sample in
      ["reason: '", "Exception: ", "Fatal error: "].reduce(sample.text) { text, label in
        guard let found = text.firstRange(ofBytes: label) else { return text }
        return String(text[found.upperBound...].drop { $0 == "'" }.prefix { $0 != "\n" })
      }
    }

  @Test("Each sentence is recognized without the name of its exception", arguments: bare)
  func recognized(_ text: String) throws {
    for log in [text, "2026-01-02 10:00:00.1 App[1:2] \(text)", "[Books] \(text)\nthe next line"] {
      let entries = try LogReader.read(Array(log.utf8), named: "log").entries
      guard entries.count == 1, case .exception(let exception)? = entries.first?.event else {
        Issue.record("\(log): \(entries)")
        continue
      }
      #expect(exception.meaning != .unknown && exception.meaning != .cut, "\(log)")
    }
    #expect(CrashAnswer(text) != nil)
  }

  @Test(
    "An operation at NSNotFound got an index path that does not exist",
    arguments: [
      "attempt to delete row 9223372036854775807 from section 0 which only contains 3 rows before the "
        + "update",
      "attempt to insert item 2147483647 into section 0, but there are only 3 items in section 0 after "
        + "the update",
      "attempt to delete section 9223372036854775807, but there are only 1 sections before the update",
    ])
  func notFound(_ text: String) throws {
    let answer = try #require(CrashAnswer(text))
    #expect(answer.lines.count == 3)
    #expect(answer.lines[1] == "An operation got an index path whose section or row is NSNotFound.")
    let other = text.replacing("9223372036854775807", with: "5").replacing("2147483647", with: "5")
    #expect(try #require(CrashAnswer(other)).lines[1] != answer.lines[1])
  }

  @Test(
    "A sentence without its index path is explained by the rule",
    arguments: [
      "attempt to delete and reload the same index path",
      "attempt to perform a delete and a move from the same index path",
      "attempt to perform an insert and a move to the same index path",
    ])
  func withoutPath(_ text: String) throws {
    let answer = try #require(CrashAnswer(text))
    #expect(answer.lines.count == 3 && answer.lesson == CourseTitle.moves, "\(answer)")
    #expect(CrashAnswer("invalid number of rows in section 0") != nil)
    #expect(CrashAnswer("invalid number of rows") == nil)
    // The index path may be in the next line.
    let log = try LogReader.read(Array("\(text)\n(0 - 3)".utf8), named: "log")
    guard case .exception(let exception)? = log.entries.first?.event else { return }
    #expect(exception.error != nil)
  }

  @Test(
    "An index path is read as each version of iOS prints it",
    arguments: [
      "1 - 3", "<NSIndexPath: 0xc1> {length = 2, path = 1 - 3}",
      "<NSIndexPath 0x8a1> 2 indexes [1, 3]", "[1, 3]",
    ])
  func indexPaths(_ path: String) throws {
    for (text, error) in [
      (
        "attempt to delete and reload the same index path (\(path))",
        TableUpdateError.deletedAndReloaded(ResultsIndexPath(section: 1, row: 3))
      ),
      (
        "attempt to perform an insert and a move to the same index path (\(path))",
        .insertedAndMoved(ResultsIndexPath(section: 1, row: 3))
      ),
    ] {
      let log = try LogReader.read(Array(text.utf8), named: "log")
      guard case .exception(let exception)? = log.entries.first?.event else {
        Issue.record("\(text): \(log.entries)")
        continue
      }
      #expect(exception.error == error)
    }
  }

  private func inconsistent(_ text: String) throws -> (operations: [TableOperation]?, words: String)
  {
    let log = try LogReader.read(Array(text.utf8), named: "log")
    guard log.entries.count == 1, case .exception(let exception)? = log.entries.first?.event,
      case .inconsistent([3], [0], let operations, _) = exception.meaning
    else {
      Issue.record("\(text): \(log.entries)")
      return (nil, "")
    }
    return (operations, Diagnosis(log).lines.joined(separator: "\n"))
  }

  @Test("A list of updates is read with escapes, and with a prefix before each line")
  func updates() throws {
    let lines = [
      "Invalid batch updates detected: the number of sections and/or rows returned by the data "
        + "source before and after performing the batch updates are inconsistent with the updates.",
      "Data source before updates = { 1 section with row counts: [3] }",
      "Data source after updates = { 1 section with row counts: [0] }",
      "Updates = [", "\tDelete row (0 - 1),", "\tDelete row (0 - 0)", "]",
    ]
    let wanted = [1, 0].map { TableOperation.deleteRows(ResultsIndexPath(section: 0, row: $0)) }
    let text = lines.joined(separator: "\n")
    let prefixed = lines.map { "[main] | " + $0 }.joined(separator: "\n")
    let escaped = text.replacing("\n", with: "\\n").replacing("\t", with: "\\t")
    for text in [text, prefixed, escaped, "reason: '\(escaped)'"] {
      #expect(try inconsistent(text).operations == wanted)
    }
    // An item that frc does not know.
    let unknown = try inconsistent(
      text.replacing("Delete row (0 - 1)", with: "Shuffle row (0 - 1)"))
    #expect(unknown.operations == nil)
    #expect(unknown.words.contains("frc cannot read the list of updates"))
    #expect(!unknown.words.contains("The app called"))
    let none = (lines[..<4] + lines[6...]).joined(separator: "\n")
    #expect(try inconsistent(none).words.contains("The app called no operation."))
  }

  @Test(
    "An ordinary line with words of a sentence is no crash text",
    arguments: [
      "title not found in entity Book", "Could not cast value of type Int, so it is skipped",
      "Index out of range, so nothing is selected", "the list was mutated",
      "unrecognized selector sent to the shop", "the row is in the index path",
      "could not locate an NSManagedObjectModel, so a new one is made",
      "the context is still dirty", "an identifier that does not exist in the list",
      "retry: optimistic locking failure, trying again",
      "Parser: unexpectedly found nil while decoding field 'x', skipped",
      "The context is still dirty after saving, saving again",
      "our list was mutated while being enumerated, so we copy it",
    ])
  func ordinary(_ line: String) throws {
    let text = "books willChangeContent\n\(line)"
    let entries = try LogReader.read(Array(text.utf8), named: "log").entries
    #expect(entries.count == 1)
    #expect(CrashAnswer(line) == nil)
  }

  @Test("There is a text for each message")
  func all() { #expect(Set(Self.samples.map(\.0)) == Set(KnownMessage.allCases)) }
}

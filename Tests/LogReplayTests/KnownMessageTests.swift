import LogReplay
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

  @Test("There is a text for each message")
  func all() { #expect(Set(Self.samples.map(\.0)) == Set(KnownMessage.allCases)) }
}

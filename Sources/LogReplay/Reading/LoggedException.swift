package import TableViews

/// An exception as a log has it.
package struct LoggedException: Hashable, Sendable {
  /// A name such as `NSInternalInconsistencyException`, if the log has it.
  package let name: String?
  /// The message, on one line.
  package let reason: String
  package let meaning: Meaning
  /// Whether a collection view raised it.
  ///
  /// Otherwise it was a table view, or the message does not say.
  package let isOfCollection: Bool
  /// Whether a table view raised it.
  package let isOfTable: Bool
  /// The method that raised it, if the log has a call stack.
  package internal(set) var symbol: String?

  /// The meaning of an exception's message.
  package enum Meaning: Hashable, Sendable {
    /// A table or a collection view refused a batch.
    case refused(TableUpdateError)
    /// The same with the numbers of rows and the operations. The rule that was broken is present if
    /// frc knows it.
    case inconsistent(before: [Int], after: [Int], [TableOperation], TableUpdateError?)
    /// An array of Core Data was read at an index that it does not have.
    case beyondBounds(index: Int, count: Int?)
    /// `object(at:)` was called for a row that the controller does not have.
    case noObject(row: Int, section: Int)
    /// `object(at:)` was called for a section that the controller does not have.
    case noSection(Int)
    case noSortDescriptors
    case staleSectionCache
    case sectionsOutOfOrder(index: Int, name: String)
    /// A snapshot contains an item or section twice.
    case notUnique
    /// A snapshot was changed or applied while another one was being applied.
    case snapshotInUse
    /// A diffable data source has other sections than the snapshot.
    case snapshotSections
    /// A table view calculated an invalid animation.
    case animation
    /// A cell was to be animated twice in one update.
    case twoAnimations
    /// An operation got an index path whose section or row is NSNotFound.
    case invalidIndexPath
    /// A table was scrolled to a row or a section that it does not have.
    case scrolled(row: Int?, section: Int, count: Int)
    /// A predicate goes through a to-many relationship without ANY or ALL.
    case toManyKey
    /// A request uses a key path that its entity does not have.
    case unknownKeyPath(String)
    /// A request has no entity.
    case noEntity
    /// The controller was read before `performFetch`.
    case notFetched
    case unfulfilledFault
    /// Another message that frc explains, with the texts of its placeholders.
    case message(KnownMessage, [String])
    /// A known sentence whose numbers are missing.
    case cut
    /// frc does not know the message.
    case unknown
  }
}

extension LoggedException {
  /// The UIKit rule that was broken, if the exception names one.
  package var error: TableUpdateError? {
    switch meaning {
    case .refused(let error): error
    case .inconsistent(_, _, _, let error): error
    case .beyondBounds, .noObject, .noSection, .noSortDescriptors, .staleSectionCache,
      .sectionsOutOfOrder, .notUnique, .snapshotInUse, .snapshotSections, .animation,
      .twoAnimations, .invalidIndexPath, .scrolled, .toManyKey, .unknownKeyPath, .noEntity,
      .notFetched, .unfulfilledFault, .message, .cut, .unknown:
      nil
    }
  }

  /// Whether it is only a warning, after which the app goes on.
  package var isWarning: Bool {
    if case .message(let message, _) = meaning { message.isWarning } else { false }
  }

  /// Whether two reports are about the same exception.
  func isSame(as other: LoggedException) -> Bool {
    meaning == other.meaning && (meaning != .unknown || reason == other.reason)
  }

  /// Reads an exception from its text; nil if frc does not know the sentence.
  ///
  /// - Parameter text: The text, with or without what the console adds to it.
  init?(in text: String, name: String? = nil) {
    let line = text.onOneLine
    // A collection view has items where a table view has rows.
    let words = line.replacing("collection view", with: "table view")
      .replacing(" an item ", with: " a row ").replacing("items", with: "rows")
      .replacing("item ", with: "row ")
    guard let meaning = Self.meaning(of: words) ?? Self.cut(words) else { return nil }
    self.name = name ?? Self.name(in: line)
    reason = Self.sentence(of: line)
    self.meaning = meaning
    isOfCollection =
      line.contains("collection view") || line.contains("UICollectionView")
      || (words != line && !line.contains("table view"))
    isOfTable =
      !isOfCollection && ["table view", " row", "UITableView"].contains(where: line.contains)
  }

  /// Whether the sentence is known and complete.
  var isKnown: Bool { meaning != .unknown && meaning != .cut }

  /// Returns whether a sentence is known, but its numbers are missing.
  private static func cut(_ words: String) -> Meaning? {
    let starts = [
      "invalid number of sections", "invalid number of rows", "Invalid batch updates detected",
      "in that section before the update (", "in the table view before the update (",
      "from that section (",
    ]
    return starts.contains(where: words.contains) ? .cut : nil
  }

  private static func name(in line: String) -> String? {
    line.split { !($0.isLetter || $0.isNumber) }
      .first { $0.hasPrefix("NS") && $0.hasSuffix("Exception") }.map(String.init)
  }

  /// Returns the message without the text that the console adds.
  private static func sentence(of line: String) -> String {
    var rest = line[...]
    for start in consoleStarts where rest.hasPrefix(start) {
      rest = rest.dropFirst(start.count).drop { ".: ".contains($0) }
      if start.hasSuffix("call to -") {
        rest = rest.drop { !$0.isWhitespace }.trimmed
      }
    }
    for end in consoleEnds {
      if let found = rest.firstRange(of: end) { rest = rest[..<found.lowerBound] }
    }
    return String(rest.trimmed)
  }

  /// The words that Core Data prints before a message, in their order.
  private static let consoleStarts = [
    "Serious application error",
    "An exception was caught from the delegate of NSFetchedResultsController during a call to -",
    "Exception was caught during Core Data change processing",
    "This is usually a bug within an observer of "
      + "NSManagedObjectContextObjectsDidChangeNotification",
  ]
  private static let consoleEnds = [
    " with userInfo", " Table view: <", " Collection view: <", " UITableView: <",
  ]

  private static func meaning(of words: String) -> Meaning? {
    if let error = TableSentence.error(in: words) { return .refused(error) }
    if let meaning = BatchSentence.meaning(of: words) { return meaning }
    for (template, meaning) in sentences {
      if let numbers = template.numbers(in: words), let found = meaning(numbers) { return found }
    }
    if let gaps = outOfOrder.match(words), gaps.count == 2, let index = Int(gaps[0].text) {
      return .sectionsOutOfOrder(index: index, name: String(gaps[1].text))
    }
    for (text, meaning) in phrases where words.contains(text) { return meaning }
    if let gaps = keyPath.match(words), gaps.count == 1 {
      return .unknownKeyPath(String(gaps[0].text))
    }
    return KnownMessage.find(in: words).map { .message($0.message, $0.gaps) }
  }

  private static let outOfOrder = TextTemplate(
    "The fetched object at index {index} has an out of order section name '{name}. Objects")

  private static let keyPath = TextTemplate("keypath {key} not found in entity")

  private static let sentences: [(TextTemplate, @Sendable ([Int]) -> Meaning?)] = [
    (
      TextTemplate("no object at index {n} in section at index {n}"),
      { .noObject(row: $0[0], section: $0[1]) }
    ),
    (TextTemplate("no section at index {n}"), { .noSection($0[0]) }),
    (
      TextTemplate("out-of-bounds row ({n}) when there are only {n} rows in section {n}"),
      { .scrolled(row: $0[0], section: $0[2], count: $0[1]) }
    ),
    (
      TextTemplate("out-of-bounds section ({n}) when there are only {n} sections"),
      { .scrolled(row: nil, section: $0[0], count: $0[1]) }
    ),
    (
      TextTemplate("row ({n}) beyond bounds ({n}) for section ({n})"),
      { .scrolled(row: $0[0], section: $0[2], count: $0[1]) }
    ),
    (
      TextTemplate("section ({n}) beyond bounds ({n})"),
      { .scrolled(row: nil, section: $0[0], count: $0[1]) }
    ),
    (
      TextTemplate("index ({n}) beyond bounds ({n})"), { .beyondBounds(index: $0[0], count: $0[1]) }
    ),
    (
      TextTemplate("index {n} beyond bounds [0 .. {n}]"),
      { .beyondBounds(index: $0[0], count: $0[1] &+ 1) }
    ),
    (TextTemplate("index {n} beyond bounds for empty"), { .beyondBounds(index: $0[0], count: 0) }),
  ]

  private static let phrases: [(String, Meaning)] = [
    ("requires a fetch request with sort descriptors", .noSortDescriptors),
    ("persistent cache of section information does not match", .staleSectionCache),
    ("identifiers are not unique", .notUnique),
    ("identifiers in a section snapshot must be unique", .notUnique),
    ("Identifiers in a section snapshot must be unique", .notUnique),
    ("Duplicate identifiers", .notUnique),
    ("deadlock detected", .snapshotInUse),
    ("dataSourceSnapshot.numberOfSections == sectionIdentifiers.count", .snapshotSections),
    ("Cell animation stop fraction must be greater than start fraction", .animation),
    ("CoreData could not fulfill a fault", .unfulfilledFault),
    ("Attempt to create two animations for cell", .twoAnimations),
    ("with invalid index path", .invalidIndexPath),
    ("to-many key not allowed here", .toManyKey),
    ("A fetch request must have an entity", .noEntity),
    ("cannot access fetched objects before -performFetch", .notFetched),
  ]
}

extension String {
  /// The text with every run of blanks and line ends replaced by one blank.
  var onOneLine: String { split { $0.isWhitespace }.joined(separator: " ") }
}

extension LoggedException {
  /// Creates an exception whose message frc does not know.
  init(unknown text: String, name: String?) {
    let line = text.onOneLine
    self.name = name ?? Self.name(in: line)
    reason = Self.sentence(of: line)
    meaning = .unknown
    isOfCollection = false
    isOfTable = false
  }
}

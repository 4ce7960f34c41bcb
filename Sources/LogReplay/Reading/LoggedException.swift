import Basics
import FetchedResults
import Foundation
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
    /// The same with the numbers of rows and the operations, unless their list is missing or has an
    /// item that frc cannot read. The rule that was broken is present if frc knows it.
    case inconsistent(before: [Int], after: [Int], [TableOperation]?, TableUpdateError?)
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
    // The list of updates has line ends and tabs, which other programs copy as escapes.
    let escapes =
      text.contains(bytesOf: "Invalid batch updates detected") ? ["\\n", "\\t", "\\r"] : []
    let line = escapes.reduce(text) { $0.replacing($1, with: " ") }.onOneLine
    // A collection view has items where a table view has rows.
    let words = line.replacing("collection view", with: "table view")
      .replacing(" an item ", with: " a row ").replacing("items", with: "rows")
      .replacing("item ", with: "row ")
    guard let meaning = Self.meaning(of: words) ?? Self.cut(words) else { return nil }
    self.name = name ?? Self.name(in: line)
    reason = Self.sentence(of: line)
    self.meaning = meaning
    isOfCollection =
      line.contains(bytesOf: "collection view") || line.contains(bytesOf: "UICollectionView")
      || (words != line && !line.contains(bytesOf: "table view"))
    isOfTable =
      !isOfCollection
      && ["table view", " row", "UITableView"].contains { line.contains(bytesOf: $0) }
  }

  /// Whether the sentence is known and complete.
  var isKnown: Bool { meaning != .unknown && meaning != .cut }

  /// Returns whether a sentence is known, but its numbers are missing.
  private static func cut(_ words: String) -> Meaning? {
    let starts =
      [
        "invalid number of sections", "invalid number of rows", "Invalid batch updates detected",
        "in that section before the update (", "in the table view before the update (",
        "from that section (",
      ] + pairs
    return starts.contains { words.contains(bytesOf: $0) } ? .cut : nil
  }

  /// Sentences about two operations, which are complete but for an index path.
  private static let pairs = [
    "attempt to delete and reload the same index path",
    "attempt to perform a delete and a move from the same index path",
    "attempt to perform an insert and a move to the same index path",
  ]

  /// Whether the sentence is about two operations on one row, and lacks the row's index path.
  var lacksRow: Bool {
    meaning == .cut && Self.pairs.contains { reason.contains(bytesOf: $0) }
  }

  /// Whether a sentence without its numbers is surely one: it has the beginning or the end of them.
  var isSureCut: Bool {
    meaning == .cut && (lacksRow || reason.contains { $0 == "(" || $0.isNumber })
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
      if let found = rest.firstRange(ofBytes: end) { rest = rest[..<found.lowerBound] }
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
    if TableSentence.isAboutNotFound(words) { return .invalidIndexPath }
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
    ("Deadlock detected", .snapshotInUse), ("deadlock detected", .snapshotInUse),
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

/// Reads the messages with which UIKit refuses a batch of updates.
enum TableSentence {
  /// Returns the rule that was broken according to a message; nil for any other text.
  ///
  /// - Parameter text: The text on one line, in the words of a table view.
  static func error(in text: String) -> TableUpdateError? {
    let text = plainPaths(text)
    for (template, error) in templates {
      if let numbers = template.numbers(in: text), numbers.allSatisfy(isCount),
        let found = error(numbers)
      {
        return found
      }
    }
    return nil
  }

  /// Whether a message is about an operation whose section or row is NSNotFound, of 64 or 32 bits.
  static func isAboutNotFound(_ text: String) -> Bool {
    let notFound = [Int.max, Int(Int32.max)]
    guard notFound.contains(where: { text.contains(bytesOf: "\($0)") }) else { return false }
    let text = plainPaths(text)
    return (before + after).contains { sentence, _ in
      guard let numbers = TextTemplate(sentence).numbers(in: text) else { return false }
      return numbers.contains(where: notFound.contains) && numbers.last.map(isCount) == true
    }
  }

  /// Returns the text with `<NSIndexPath: 0xc1> {length = 2, path = 0 - 3}`, and the forms of iOS 5
  /// to 7, `<NSIndexPath 0xc1> 2 indexes [0, 3]` and `([0, 3])`, shortened to `0 - 3`.
  static func plainPaths(_ text: String) -> String {
    var text = text
    for (opening, close) in [("{length = 2, path = ", "}"), ("2 indexes [", "]"), ("([", "])")] {
      var result = ""
      var rest = text[...]
      while let start = rest.range(of: opening) {
        var head = rest[..<start.lowerBound]
        if opening != "([", let address = head.range(of: "<NSIndexPath", options: .backwards) {
          head = head[..<address.lowerBound]
        }
        guard let end = rest[start.upperBound...].range(of: close) else { break }
        let path = rest[start.upperBound..<end.lowerBound].replacing(", ", with: " - ")
        result += head + (opening == "([" ? "(\(path))" : path)
        rest = rest[end.upperBound...]
      }
      text = result + rest
    }
    return text
  }

  /// Whether a number can be a view's number of rows.
  ///
  /// The limit keeps sums of such numbers from overflowing.
  static func isCount(_ number: Int) -> Bool { 0...1_000_000_000 ~= number }

  private typealias Reading = @Sendable ([Int]) -> TableUpdateError?

  private static let templates: [(TextTemplate, Reading)] =
    (before + after + pairs + sums).map { (TextTemplate($0.0), $0.1) }

  private static let before: [(String, Reading)] = [
    (
      "attempt to delete section {n}, but there are only {n} sections before the update",
      { .deletedSectionMissing($0[0], sections: $0[1]) }
    ),
    (
      "attempt to delete row {n} from section {n} which only contains {n} rows before the update",
      { .deletedRowMissing(path($0[1], $0[0]), rows: $0[2]) }
    ),
    (
      "attempt to delete row {n} from section {n}, but there are only {n} sections before the",
      { .deletedRowWithoutSection(path($0[1], $0[0]), sections: $0[2]) }
    ),
    (
      "attempt to move index path ({n} - {n}) that does not exist - there are only {n} rows in "
        + "section {n} before",
      { .movedRowMissing(path($0[0], $0[1]), rows: $0[2]) }
    ),
    (
      "attempt to move index path ({n} - {n}) that does not exist - there are only {n} sections "
        + "before",
      { .movedRowWithoutSection(path($0[0], $0[1]), sections: $0[2]) }
    ),
    ("cannot move a row from a deleted section ({n})", { .movedFromDeletedSection($0[0]) }),
  ]

  private static let after: [(String, Reading)] = [
    (
      "attempt to insert section {n} but there are only {n} sections after the update",
      { .insertedSectionMissing($0[0], sections: $0[1]) }
    ),
    (
      "attempt to insert row {n} into section {n}, but there are only {n} rows in section {n} "
        + "after",
      { .insertedRowMissing(path($0[1], $0[0]), rows: $0[2]) }
    ),
    (
      "attempt to insert row {n} into section {n}, but there are only {n} sections after",
      { .insertedRowWithoutSection(path($0[1], $0[0]), sections: $0[2]) }
    ),
    (
      "attempt to move index path ({n} - {n}) to index path ({n} - {n}) that does not exist - "
        + "there are only {n} rows in section {n} after",
      { .moveTargetMissing(from: path($0[0], $0[1]), to: path($0[2], $0[3]), rows: $0[4]) }
    ),
    (
      "attempt to move index path ({n} - {n}) to index path ({n} - {n}) that does not exist - "
        + "there are only {n} sections after",
      {
        .moveTargetWithoutSection(
          from: path($0[0], $0[1]), to: path($0[2], $0[3]), sections: $0[4])
      }
    ),
    (
      "cannot move a row into a newly inserted section ({n})", { .movedIntoInsertedSection($0[0]) }
    ),
  ]

  private static let pairs: [(String, Reading)] = [
    (
      "attempt to delete and reload the same index path ({n} - {n})",
      { .deletedAndReloaded(path($0[0], $0[1])) }
    ),
    (
      "attempt to perform a delete and a move from the same index path ({n} - {n})",
      { .deletedAndMoved(path($0[0], $0[1])) }
    ),
    (
      "attempt to perform an insert and a move to the same index path ({n} - {n})",
      { .insertedAndMoved(path($0[0], $0[1])) }
    ),
    (
      "attempt to move row at index path {n} - {n} to both {n} - {n} and {n} - {n}",
      {
        .movedTwice(path($0[0], $0[1]), to: path($0[2], $0[3]), and: path($0[4], $0[5]))
      }
    ),
    (
      "attempt to move both row at index path {n} - {n} and {n} - {n} to {n} - {n}",
      {
        .movedToOneRow(path($0[0], $0[1]), and: path($0[2], $0[3]), to: path($0[4], $0[5]))
      }
    ),
  ]

  private static let sums: [(String, Reading)] = [
    (
      "contained in the table view after the update ({n}) must be equal to the number of sections "
        + "contained in the table view before the update ({n}), plus or minus the number of "
        + "sections inserted or deleted ({n} inserted, {n} deleted",
      { .numberOfSections(before: $0[1], after: $0[0], inserted: $0[2], deleted: $0[3]) }
    ),
    (
      "invalid number of rows in section {n}. The number of rows contained in an existing section "
        + "after the update ({n}) must be equal to the number of rows contained in that section "
        + "before the update ({n}), plus or minus the number of rows inserted or deleted from that "
        + "section ({n} inserted, {n} deleted) and plus or minus the number of rows moved into or "
        + "out of that section ({n} moved in, {n} moved out",
      { rows($0) }
    ),
    // Before iOS 5, rows could not be moved.
    (
      "invalid number of rows in section {n}. The number of rows contained in an existing section "
        + "after the update ({n}) must be equal to the number of rows contained in that section "
        + "before the update ({n}), plus or minus the number of rows inserted or deleted from that "
        + "section ({n} inserted, {n} deleted).",
      { rows($0 + [0, 0]) }
    ),
  ]

  private static func rows(_ numbers: [Int]) -> TableUpdateError {
    var counts = TableUpdateError.RowCounts(before: numbers[2], after: numbers[1])
    counts.inserted = numbers[3]
    counts.deleted = numbers[4]
    counts.movedIn = numbers[5]
    counts.movedOut = numbers[6]
    return .numberOfRows(section: numbers[0], counts)
  }

  private static func path(_ section: Int, _ row: Int) -> ResultsIndexPath {
    ResultsIndexPath(section: section, row: row)
  }
}

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
  /// Otherwise it was a table view.
  package let isOfCollection: Bool

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
    case unfulfilledFault
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
      .unfulfilledFault, .unknown:
      nil
    }
  }

  /// Whether two reports are about the same exception.
  func isSame(as other: LoggedException) -> Bool {
    meaning == other.meaning && (meaning != .unknown || reason == other.reason)
  }

  /// Reads an exception from a line, or from joined lines; nil if there is none.
  init?(in text: String, name: String? = nil) {
    let line = text.onOneLine
    // A collection view has items where a table view has rows.
    let words = line.replacing("collection view", with: "table view")
      .replacing(" an item ", with: " a row ").replacing("items", with: "rows")
      .replacing("item ", with: "row ")
    let found = Self.meaning(of: words)
    guard let meaning = found ?? (line.contains(Self.caught) ? .unknown : nil) else { return nil }
    self.name = name ?? Self.name(in: line)
    reason = Self.sentence(of: line)
    self.meaning = meaning
    isOfCollection =
      line.contains("collection view") || line.contains("UICollectionView")
      || (words != line && !line.contains("table view"))
  }

  private static let caught = "An exception was caught from the delegate"

  private static func name(in line: String) -> String? {
    line.split { !($0.isLetter || $0.isNumber) }
      .first { $0.hasPrefix("NS") && $0.hasSuffix("Exception") }.map(String.init)
  }

  /// Returns the message without the text that the console adds.
  private static func sentence(of line: String) -> String {
    var rest = line[...]
    for start in ["reason: '", "during a call to -"] {
      if let found = rest.range(of: start) { rest = rest[found.upperBound...] }
    }
    if let method = rest.range(of: ":. ") { rest = rest[method.upperBound...] }
    let starts = Self.starts.compactMap { rest.range(of: $0)?.lowerBound }
    if let first = starts.min() { rest = rest[first...] }
    for end in [" with userInfo", "'*** ", "' ***", " Table view: <", " Collection view: <"] {
      if let found = rest.range(of: end) { rest = rest[..<found.lowerBound] }
    }
    rest = rest.trimmed
    if line.contains("reason: '"), rest.last == "'" { rest.removeLast() }
    return String(rest)
  }

  /// The first words of messages, after the text that the console adds.
  private static let starts = [
    "Invalid update:", "Invalid batch updates", "attempt to ", "cannot move ", "*** -[",
    "Invalid parameter not satisfying", "The fetched object at index",
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
    return nil
  }

  private static let outOfOrder = TextTemplate(
    "The fetched object at index {index} has an out of order section name '{name}. Objects")

  private static let sentences: [(TextTemplate, @Sendable ([Int]) -> Meaning?)] = [
    (
      TextTemplate("no object at index {n} in section at index {n}"),
      { .noObject(row: $0[0], section: $0[1]) }
    ),
    (TextTemplate("no section at index {n} in sections list"), { .noSection($0[0]) }),
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
  ]
}

extension String {
  /// The text with every run of blanks and line ends replaced by one blank.
  var onOneLine: String { split { $0.isWhitespace }.joined(separator: " ") }
}

extension LoggedException {
  /// Creates an exception whose message frc does not know.
  init(unknown reason: String, name: String?) {
    self.name = name
    self.reason = reason.onOneLine
    meaning = .unknown
    isOfCollection = false
  }
}

import Basics
import FetchedResults
import Foundation
import TableViews

/// The format in which an app prints its callbacks: `{type} {object} at {old} -> {new}`.
package struct CallbackPattern: Sendable {
  private let template: TextTemplate
  private let isOfSections: Bool

  /// Why a pattern cannot be used.
  package struct Problem: Error, Hashable, Sendable {
    package let words: String
  }

  private static let known = ["type", "object", "old", "new", "index", "name", "any"]

  /// Creates a pattern.
  ///
  /// - Throws: ``Problem`` if it has an unknown placeholder, or lacks one that is required.
  package init(_ text: String) throws(Problem) {
    template = TextTemplate(text)
    let names = template.names
    if let unknown = names.first(where: { !Self.known.contains($0) }) {
      throw Problem(
        words: "the pattern has {\(unknown)}; it can have "
          + Self.known.map { "{\($0)}" }.joined(separator: ", "))
    }
    isOfSections = names.contains("index")
    guard names.contains("type"), isOfSections || names.contains("old") || names.contains("new")
    else {
      throw Problem(
        words: "the pattern needs {type}, and {old}, {new} or {index}, as in "
          + "'{type} {object} at {old} -> {new}'")
    }
  }

  /// Reads a callback from a line.
  func reading(of line: String) -> MessageReading {
    // Patterns are compared with all places of a line, so a long one would take too long.
    guard line.utf8.count <= Self.mostBytes else { return .other }
    guard let gaps = template.match(line, fits: Self.fits) ?? template.match(line, fits: nil) else {
      return .other
    }
    func text(_ name: String) -> Substring? { gaps.first { $0.name == name }?.text }
    guard let typeText = text("type") else { return .other }
    guard let type = Self.type(typeText) else {
      // Any line may have the words of a pattern by chance, but not an index path as well.
      let hasPath = ["old", "new"].contains { name in text(name).flatMap(Self.path) != nil }
      return .unclear(
        "{type} is '\(typeText.prefix(40))'; print insert, delete, move, update or 1 to 4",
        isCallback: hasPath || isOfSections && text("index").flatMap(Self.index) != nil)
    }
    let object = text("object").flatMap { $0.isEmpty ? nil : String($0) }
    if isOfSections {
      guard let index = text("index").flatMap(Self.index) else {
        return .unclear(
          "{index} is '\(text("index")?.prefix(40) ?? "")', which is not a number",
          isCallback: false)
      }
      return .event(
        .section(
          controller: CallbackGrammar.unnamed,
          SectionChange(type: type, index: index, name: text("name").map(String.init))),
        .callback)
    }
    let old = text("old").flatMap(Self.path)
    let new = text("new").flatMap(Self.path)
    guard old != nil || new != nil else {
      return .unclear("it has no index path at {old} or {new}", isCallback: false)
    }
    let change =
      type == .insert && (text("old") == nil || text("new") == nil)
      ? ObjectChange(type: type, object: object, old: nil, new: new ?? old)
      : ObjectChange(
        type: type, object: object, old: old ?? (text("old") == nil ? new : nil),
        new: type == .delete && text("old") == nil ? nil : new)
    return .event(.object(controller: CallbackGrammar.unnamed, change), .callback)
  }

  private static let mostBytes = 1 << 12

  /// Whether a text can be the value of a placeholder.
  private static func fits(_ name: String, _ text: Substring) -> Bool {
    switch name {
    case "type": type(text) != nil
    case "old", "new": path(text) != nil || isAbsent(text)
    case "index": index(text) != nil
    case _: true
    }
  }

  private static func type(_ text: Substring) -> FetchedResultsChangeType? {
    let words = text.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() }
    let types = words.compactMap { CallbackVocabulary.type($0) }
    guard types.isEmpty else { return Set(types).count == 1 ? types[0] : nil }
    // Other numbers belong to a time.
    guard words.dropLast().allSatisfy({ $0.allSatisfy(\.isLetter) }) else { return nil }
    return words.last.flatMap { Int($0) }.flatMap { CallbackVocabulary.type(number: $0) }
  }

  private static func index(_ text: Substring) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    return digits.count < 10 ? Int(digits) : nil
  }

  /// Reads an index path with or without its brackets.
  private static func path(_ text: Substring) -> ResultsIndexPath? {
    for text in [String(text), "[\(text)]"] {
      for token in LineLexer(Array(text.utf8)[...]).tokens {
        if case .path(let path) = token.kind { return path }
      }
    }
    return nil
  }

  private static func isAbsent(_ text: Substring) -> Bool {
    ["", "-", "nil", "(null)", "null", "none", "Optional(nil)"].contains(text)
  }
}

/// The words of lines in which apps print their callbacks.
enum CallbackVocabulary {
  /// What a word says of the value after it.
  enum Label: Hashable {
    case type
    case old
    case new
    /// `indexPath`, which is the old one unless a word before it says otherwise.
    case path
    case object
    case index
  }

  /// A callback, by its method.
  enum Callback: Hashable {
    case willChangeContent
    case didChangeContent
    case object
    case section
    /// `didChange`, whose arguments say what changed.
    case either
  }

  /// Returns the callback that a word names.
  ///
  /// - Parameter word: A word in lower case.
  static func callback(_ word: String) -> Callback? {
    if word.hasSuffix("willchangecontent") { return .willChangeContent }
    if word.hasSuffix("didchangecontent") { return .didChangeContent }
    if word.hasSuffix("didchangeobject") { return .object }
    if word.hasSuffix("didchangesection") { return .section }
    return word == "didchange" ? .either : nil
  }

  /// Returns the type of change that a word in lower case names.
  static func type(_ word: String) -> FetchedResultsChangeType? {
    if let type = types[word] { return type }
    guard let stem = word.firstRange(ofBytes: "resultschange") else { return nil }
    return types[String(word[stem.upperBound...])]
  }

  /// Whether a word is a name of the enumeration, such as `NSFetchedResultsChangeInsert`.
  static func isEnumeration(_ word: String) -> Bool { word.contains(bytesOf: "resultschange") }

  private static let types: [String: FetchedResultsChangeType] = {
    var types: [String: FetchedResultsChangeType] = [:]
    for (words, type) in [
      ("insert inserts inserted inserting insertion add added adding", .insert),
      ("delete deletes deleted deleting deletion remove removed removing removal", .delete),
      ("move moves moved moving", .move), ("update updates updated updating", .update),
    ] as [(String, FetchedResultsChangeType)] {
      for word in words.split(separator: " ") { types[String(word)] = type }
    }
    return types
  }()

  /// Returns the type with a raw value of NSFetchedResultsChangeType.
  static func type(number: Int) -> FetchedResultsChangeType? {
    switch number {
    case 1: .insert
    case 2: .delete
    case 3: .move
    case 4: .update
    case _: nil
    }
  }

  static func label(_ word: String) -> Label? { labels[word] }

  private static let labels: [String: Label] = {
    var labels: [String: Label] = [:]
    for (words, label) in [
      ("type changetype forchangetype oftype kind change action rawvalue for", .type),
      ("at atindexpath old oldindexpath oldpath from fromindexpath was before previous", .old),
      ("new newindexpath newpath to toindexpath now after", .new), ("indexpath path", .path),
      ("object anobject obj item model name title id objectid with", .object),
      ("index atindex sectionindex atsectionindex section", .index),
    ] as [(String, Label)] {
      for word in words.split(separator: " ") { labels[String(word)] = label }
    }
    return labels
  }()

  /// Words that may stand between a type, its labels and its values.
  static let connectives: Set<String> = [
    "row", "rows", "cell", "section", "sections", "object", "objects", "item", "items", "index",
    "indexes", "indexpath", "path", "the", "a", "an", "of", "in", "into", "its", "is", "was",
    "and", "optional", "nil", "null", "did", "will", "called", "controller", "fetched", "results",
    "came", "row(s)", "nsfetchedresultschangetype", "fetchedresultschangetype", "changetype",
  ]

  /// Words before a callback that say that its method is entered.
  static let entering: Set<String> = [
    "enter", "entering", "entered", "call", "calling", "called", "begin", "began", "start", "in",
    "delegate", "controller", "got", "received", "frc", "nsfetchedresultscontroller", "did",
    "will", "func", "method", "self",
  ]

  /// Words that say that a method returns.
  static let leaving: Set<String> = [
    "leave", "leaving", "left", "exit", "exiting", "exited", "return", "returning", "returned",
    "done", "finished", "finish", "end", "ended", "ending",
  ]

  /// Words for no value.
  static let absent: Set<String> = ["nil", "null", "none"]

  /// Whether a text names a callback anywhere.
  static func namesCallback(_ text: String) -> Bool {
    let small = text.lowercased()
    return ["willchangecontent", "didchange"].contains { small.contains(bytesOf: $0) }
  }

  /// Whether a word belongs to the grammar, so that it is no label that an app made up.
  static func isKnown(_ text: String) -> Bool {
    let word = text.lowercased()
    return callback(word) != nil || type(word) != nil || label(word) != nil
      || connectives.contains(word) || entering.contains(word) || leaving.contains(word)
      || namesCallback(word) || word.hasSuffix("exception") || word.hasPrefix("exc_")
      || ["reason", "fatal", "counts", "exception", "updates", "crashed"].contains(word)
  }
}

/// Reads the sentence of iOS 16 and later, which contains the numbers of rows and the updates.
///
/// An example: `Data source before updates = { 1 section with row counts: [3] } … Updates = [ Delete
/// row (0 - 1) ]`.
enum BatchSentence {
  /// Returns the meaning of the sentence; nil for any other.
  ///
  /// - Parameter text: The text on one line, in the words of a table view.
  static func meaning(of text: String) -> LoggedException.Meaning? {
    guard text.contains(bytesOf: "Invalid batch updates detected"),
      let before = counts(in: text, after: "before updates = "),
      let after = counts(in: text, after: "after updates = ")
    else { return nil }
    let operations = operations(in: TableSentence.plainPaths(text))
    return .inconsistent(
      before: before, after: after, operations,
      operations.flatMap { TableOutcome.error(of: $0, before: before, after: after) })
  }

  private static func counts(in text: String, after start: String) -> [Int]? {
    guard let found = text.range(of: start), let end = text[found.upperBound...].firstIndex(of: "}")
    else { return nil }
    let part = text[found.upperBound..<end]
    guard let open = part.firstIndex(of: "["), let close = part.lastIndex(of: "]"), open < close
    else { return part.contains(bytesOf: "0 sections") ? [] : nil }
    let numbers = part[part.index(after: open)..<close].split(separator: ",").map {
      Int($0.trimmed)
    }
    let counts = numbers.compactMap { $0 }.filter(TableSentence.isCount)
    return counts.count == numbers.count ? counts : nil
  }

  /// Returns the operations; nil if there is no list, or if it has an item that frc cannot read.
  private static func operations(in text: String) -> [TableOperation]? {
    guard let found = text.range(of: "Updates = [") else { return nil }
    let end = text[found.upperBound...].firstIndex(of: "]") ?? text.endIndex
    let items = text[found.upperBound..<end].split(separator: ",").map(\.trimmed)
      .filter { !$0.isEmpty }
    let operations = items.compactMap(operation)
    return operations.count == items.count ? operations : nil
  }

  /// Reads an operation such as `Delete row (0 - 1)` or `Insert section (1)`.
  private static func operation(_ text: Substring) -> TableOperation? {
    let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
    let path = numbers.count >= 2 ? ResultsIndexPath(section: numbers[0], row: numbers[1]) : nil
    let isSection = text.contains(bytesOf: "section")
    switch text.split(separator: " ").first {
    case "Delete":
      return isSection ? numbers.first.map { .deleteSections($0) } : path.map { .deleteRows($0) }
    case "Insert":
      return isSection ? numbers.first.map { .insertSections($0) } : path.map { .insertRows($0) }
    case "Reload": return isSection ? nil : path.map { .reloadRows($0) }
    case "Move":
      guard let path, numbers.count >= 4, !isSection else { return nil }
      return .moveRow(path, to: ResultsIndexPath(section: numbers[2], row: numbers[3]))
    case _: return nil
    }
  }
}

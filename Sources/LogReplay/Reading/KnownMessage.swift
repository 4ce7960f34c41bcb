/// A message of UIKit, Core Data or Swift that is not about the numbers of a batch, and that frc can
/// explain.
package enum KnownMessage: Hashable, Sendable, CaseIterable {
  // Lists
  case sectionsAsked
  case globalIndex
  case layoutAttributes
  case layoutIgnored
  case noLayoutAttributes
  case noCell
  case noCellRegistered
  case cellNotDequeued
  case cellDequeuedTwice
  case sectionMap
  case updateInLayout
  case wrongIndexPath
  case layoutOutsideWindow
  // Snapshots
  case diffableView
  case itemsExist
  case itemNotInSnapshot
  case sectionNotInSnapshot
  // Threads and collections
  case backgroundThread
  case wrongQueue
  case changedInLoop
  // Core Data
  case temporaryID
  case noCoordinator
  case noEntityNamed
  case noDescription
  case noDesignatedInitializer
  case otherContext
  case deletedInOtherContext
  case wrongType
  case noSuchKey
  case noSQL
  case noStore
  case storeNotReachable
  case stillDirty
  case recursiveSave
  case invalidated
  case twoModels
  case otherModel
  case mergeConflict
  // Swift and Objective-C
  case unknownSelector
  case indexOutOfRange
  case foundNil
  case wrongCast
  case parameter

  /// Whether the app goes on after it.
  var isWarning: Bool {
    [.itemsExist, .layoutIgnored, .layoutOutsideWindow, .twoModels].contains(self)
  }

  /// Finds a message in a text, with the texts of its placeholders.
  ///
  /// - Parameter text: The text on one line, in the words of a table view.
  /// - Complexity: O(1): only the beginning of the text is read.
  static func find(in text: String) -> (message: KnownMessage, gaps: [String])? {
    let text = String(decoding: text.utf8.prefix(mostBytes), as: UTF8.self)
    for (template, message) in templates {
      guard let gaps = template.match(text) else { continue }
      let texts = gaps.filter { $0.name != "any" }.map { String($0.text.prefix(mostCharacters)) }
      return (message, texts)
    }
    return nil
  }

  /// The message comes first; what it lists may be long.
  private static let mostBytes = 2_000
  /// How much of a placeholder is shown.
  private static let mostCharacters = 100

  /// How the messages begin that may stand in a line alone.
  static let beginnings = [
    "request for number of ", "request for index path for ", "UICollectionView received layout",
    "UICollectionView recieved layout", "Layout attributes <", "no UICollectionViewLayout",
    "UITableView dataSource must", "UICollectionView dataSource must", "unable to dequeue a cell",
    "could not dequeue a view", "the cell returned from ", "Attempted to dequeue multiple",
    "UITableView internal ", "UITableView must be updated via",
    "UICollectionView must be updated via", "Diffable data source detected an attempt",
    "Attempted to reload item", "Invalid item identifier", "Invalid index path for use with",
    "UITableView was told to layout", "Warning once only: UITableView",
    "Modifications to the layout engine must", "Call must be made on main thread",
    "cannot find data for a temporary oid", "nil is not a legal ", "could not locate an entity",
    "Failed to call designated initializer", "Illegal attempt to establish a relationship",
    "An NSManagedObject of class", "An NSManagedObjectContext cannot delete",
    "Unacceptable type of value for", "unimplemented SQL generation", "Unable to generate SQL",
    "unsupported NSSortDescriptor", "This NSPersistentStoreCoordinator has no",
    "Object's persistent store is not", "Failed to process pending changes before save",
    "attempt to recursively call -save", "The NSManagedObject with ID", "The model used to open",
    "warning: Multiple NSEntityDescriptions", "Multiple NSEntityDescriptions claim",
    "The context is still dirty after 1", "NSMergeConflict (",
    "Unexpectedly found nil while unwrapping an Optional",
    "Unexpectedly found nil while implicitly unwrapping an Optional",
    "unexpectedly found nil while unwrapping an Optional",
    "unexpectedly found nil while implicitly unwrapping an Optional",
  ]

  /// What the messages have that begin with a name, a description, or ordinary words.
  static let parts = [
    "failed to obtain a cell from its", "dataSource returned a nil cell",
    "in the process of updating its visible cells", "identifier that does not exist in the",
    "does not have a reuseIdentifier", "__Multithreading_Violation_",
    "> was mutated while being enumerated", "key value coding-compliant for the key",
    "unrecognized selector sent to", "could not locate an NSManagedObjectModel",
    "Could not cast value of type",
  ]

  /// Messages of ordinary words, which are known only if a line has no others.
  static let wholeLines: Set<String> = [
    "Index out of range", "Index out of range.", "optimistic locking failure",
    "optimistic locking failure.",
  ]

  private static let templates: [(TextTemplate, KnownMessage)] =
    (lists + snapshots + data + language).map { (TextTemplate($0.0), $0.1) }

  private static let lists: [(String, KnownMessage)] = [
    (
      "request for number of rows {any} section {section} when there are only {count} sections",
      .sectionsAsked
    ),
    (
      "request for index path for global index {index} when there are only {count} rows",
      .globalIndex
    ),
    ("layout attributes for a cell with an index path that does not exist", .layoutAttributes),
    ("from the layout {any} but are not valid for the data source counts", .layoutIgnored),
    ("no UICollectionViewLayoutAttributes instance for", .noLayoutAttributes),
    ("failed to obtain a cell from its dataSource", .noCell),
    ("dataSource must return a cell from", .noCell),
    ("dataSource returned a nil cell", .noCell),
    ("unable to dequeue a cell with identifier {identifier} - must", .noCellRegistered),
    (
      "could not dequeue a view of kind: {any} with identifier {identifier} - must",
      .noCellRegistered
    ),
    ("does not have a reuseIdentifier", .cellNotDequeued),
    ("Attempted to dequeue multiple cells for the same index path", .cellDequeuedTwice),
    (
      "unable to generate a new section map with old section count: {before} and new section count: "
        + "{after} ",
      .sectionMap
    ),
    ("_visibleRows and _visibleCells must be of same length", .updateInLayout),
    ("while it was in the process of updating its visible cells", .updateInLayout),
    ("Invalid index path for use with", .wrongIndexPath),
    ("without being in the view hierarchy", .layoutOutsideWindow),
  ]

  private static let snapshots: [(String, KnownMessage)] = [
    ("must be updated via the {any}DiffableDataSource APIs", .diffableView),
    (
      "detected an attempt to insert or append {count} row identifiers that already exist",
      .itemsExist
    ),
    ("row identifier that does not exist in the snapshot", .itemNotInSnapshot),
    ("Invalid row identifier", .itemNotInSnapshot),
    ("Invalid parameter not satisfying: indexPath || ignoreInvalidItems", .itemNotInSnapshot),
    ("Invalid parameter not satisfying: section != NSNotFound", .sectionNotInSnapshot),
  ]

  private static let data: [(String, KnownMessage)] = [
    (
      "Modifications to the layout engine must not be performed from a background",
      .backgroundThread
    ),
    ("Call must be made on main thread", .backgroundThread),
    ("Multithreading_Violation_AllThatIsLeftToUsIsHonor", .wrongQueue),
    ("was mutated while being enumerated", .changedInLoop),
    ("cannot find data for a temporary oid", .temporaryID),
    ("nil is not a legal {any} for searching for entity name '{name}'", .noCoordinator),
    ("could not locate an entity named '{name}'", .noEntityNamed),
    ("could not locate an NSManagedObjectModel for entity name '{name}'", .noCoordinator),
    ("must have a valid NSEntityDescription", .noDescription),
    (
      "Failed to call designated initializer on NSManagedObject class '{class}'",
      .noDesignatedInitializer
    ),
    (
      "Illegal attempt to establish a relationship '{name}' between objects in different contexts",
      .otherContext
    ),
    ("cannot delete objects in other contexts", .deletedInOtherContext),
    (
      "property = \"{name}\"; desired type = {type}; given type = {given};",
      .wrongType
    ),
    ("key value coding-compliant for the key \"{key}\"", .noSuchKey),
    ("key value coding-compliant for the key {key}.", .noSuchKey),
    ("key value coding-compliant for the key {key}", .noSuchKey),
    ("unimplemented SQL generation for predicate", .noSQL),
    ("Unable to generate SQL for predicate", .noSQL),
    ("unsupported NSSortDescriptor", .noSQL),
    ("has no persistent stores. It cannot perform", .noStore),
    ("persistent store is not reachable from this NSManagedObjectContext", .storeNotReachable),
    ("The context is still dirty after", .stillDirty),
    ("attempt to recursively call -save", .recursiveSave),
    ("The NSManagedObject with ID{any}has been invalidated", .invalidated),
    ("Multiple NSEntityDescriptions claim the NSManagedObject subclass '{class}'", .twoModels),
    ("The model used to open the store is incompatible", .otherModel),
    ("NSMergeConflict", .mergeConflict),
    ("optimistic locking failure", .mergeConflict),
  ]

  private static let language: [(String, KnownMessage)] = [
    ("[{method}]: unrecognized selector sent to", .unknownSelector),
    ("unrecognized selector sent to instance", .unknownSelector),
    ("unrecognized selector sent to class", .unknownSelector),
    ("Index out of range", .indexOutOfRange),
    ("unexpectedly found nil while", .foundNil),
    ("Unexpectedly found nil while", .foundNil),
    ("Could not cast value of type '{class}' {any} to '{wanted}'", .wrongCast),
    ("Invalid parameter not satisfying: {condition}", .parameter),
  ]
}

/// A text with placeholders: `attempt to delete row {n} from section {n}`.
///
/// A placeholder matches as few characters as possible, so that matching takes time in proportion
/// to the text.
struct TextTemplate: Sendable {
  /// The text that a placeholder matched.
  struct Gap: Hashable, Sendable {
    let name: String
    let text: Substring
  }

  private enum Part: Sendable {
    case text([UInt8])
    case gap(String)
  }

  /// The placeholders for any text.
  private static let freeNames: Set<String> = ["object", "name", "any"]

  private let parts: [Part]
  /// The names of the placeholders, in order.
  let names: [String]

  /// Creates a template.
  ///
  /// - Parameter pattern: A text in which each name in braces is a placeholder.
  init(_ pattern: String) {
    var parts: [Part] = []
    var text = ""
    var rest = pattern[...]
    while let open = rest.firstIndex(of: "{") {
      guard let close = rest[open...].firstIndex(of: "}"),
        rest[rest.index(after: open)..<close].allSatisfy({ $0.isLetter })
      else {
        text += rest[...open]
        rest = rest[rest.index(after: open)...]
        continue
      }
      text += rest[..<open]
      if !text.isEmpty { parts.append(.text(Array(text.utf8))) }
      text = ""
      parts.append(.gap(String(rest[rest.index(after: open)..<close])))
      rest = rest[rest.index(after: close)...]
    }
    text += rest
    if !text.isEmpty { parts.append(.text(Array(text.utf8))) }
    self.parts = parts
    names = parts.compactMap { part in
      if case .gap(let name) = part { name } else { nil }
    }
  }

  /// Finds the template in a line.
  ///
  /// Text before and after it is ignored.
  ///
  /// - Returns: The matched texts in order, without blanks around them; nil if the line does not
  ///   contain the template's texts in their order.
  /// - Complexity: O(*n* · *m*) for a line of *n* and a template of *m* bytes.
  func match(_ line: String) -> [Gap]? {
    let bytes = Array(line.utf8)
    var gaps: [Gap] = []
    var open: (name: String, start: Int)?
    var place = 0
    func close(_ end: Int) {
      guard let gap = open else { return }
      let text = String(decoding: bytes[gap.start..<end], as: UTF8.self)
      gaps.append(Gap(name: gap.name, text: text.trimmed))
      open = nil
    }
    for part in parts {
      switch part {
      case .gap(let name):
        close(place)
        open = (name, place)
      case .text(let text):
        guard let found = bytes.firstIndex(of: text, from: place) else { return nil }
        close(found)
        place = found + text.count
      }
    }
    close(bytes.count)
    return gaps
  }

  /// Finds the template in a line so that each matched text fits its placeholder.
  ///
  /// A placeholder for any text matches as many characters as possible, because the text of an
  /// object may contain the words around it. Others match as few as possible.
  ///
  /// - Parameter fits: Whether a placeholder of a name can match a text; nil if it can match any.
  /// - Complexity: O(*n*² · *m*) for a line of *n* bytes and *m* placeholders.
  func match(
    _ line: String, fits: ((_ name: String, _ text: Substring) -> Bool)?
  ) -> [Gap]? {
    guard let fits else { return match(line) }
    let bytes = Array(line.utf8)
    var failed: Set<[Int]> = []
    func places(of text: [UInt8], from start: Int) -> [Int] {
      var places: [Int] = []
      var place = start
      while let found = bytes.firstIndex(of: text, from: place) {
        places.append(found)
        place = found + 1
      }
      return places
    }
    /// Matches the parts from one on, whose first text begins at or after a place.
    func rest(_ part: Int, _ place: Int) -> [Gap]? {
      guard part < parts.count else { return [] }
      guard !failed.contains([part, place]) else { return nil }
      switch parts[part] {
      case .text(let text):
        // Only text before the template is skipped.
        for found in part == 0 ? places(of: text, from: place) : [place]
        where bytes[found...].starts(with: text) {
          if let gaps = rest(part + 1, found + text.count) { return gaps }
        }
      case .gap(let name):
        let next = part + 1 < parts.count ? parts[part + 1] : nil
        var ends = [bytes.count]
        if case .text(let text)? = next { ends = places(of: text, from: place) }
        if case .gap? = next { ends = Array(place...bytes.count) }
        for end in Self.freeNames.contains(name) ? ends.reversed() : ends {
          let text = String(decoding: bytes[place..<end], as: UTF8.self).trimmed
          guard fits(name, text), let gaps = rest(part + 1, end) else { continue }
          return [Gap(name: name, text: text)] + gaps
        }
      }
      failed.insert([part, place])
      return nil
    }
    return rest(0, 0)
  }

  /// Finds the template, and reads each matched text as a number.
  ///
  /// - Returns: Nil if a placeholder matched anything else.
  func numbers(in line: String) -> [Int]? {
    guard let gaps = match(line) else { return nil }
    var numbers: [Int] = []
    for (place, gap) in gaps.enumerated() {
      // The last placeholder ends where its number ends.
      let isLast = place == gaps.count - 1
      let text = isLast ? gap.text.prefix { $0.isASCII && ($0.isNumber || $0 == "-") } : gap.text
      // UIKit prints -1 as an unsigned number.
      guard let number = Int(text) ?? UInt64(text).map({ Int(truncatingIfNeeded: $0) }) else {
        return nil
      }
      numbers.append(number)
    }
    return numbers
  }
}

extension [UInt8] {
  /// Returns the first index of a text, starting at an index.
  fileprivate func firstIndex(of text: [UInt8], from start: Int) -> Int? {
    guard let first = text.first, count - start >= text.count else { return nil }
    var place = start
    while place <= count - text.count {
      if self[place] == first, self[place..<place + text.count].elementsEqual(text) {
        return place
      }
      place += 1
    }
    return nil
  }
}

extension StringProtocol {
  /// The text without blanks at both ends.
  var trimmed: Substring {
    var rest = Substring(self)
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}

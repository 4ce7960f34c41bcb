public import FetchedResultsMacros

/// The list on the screen: sections of identities, the selected book and the part that is visible.
///
/// It is a plain value. It changes by the differences that the controller sends and by movements,
/// and knows no context. So a test can compare it with a fresh fetch.
public struct BookList: Hashable, Sendable {
  /// The sections, as the differences so far made them.
  public private(set) var sections: [FetchedResultsSnapshot.Section] = []
  /// Where the selected book is; nil where the list is empty.
  public private(set) var selection: ResultsIndexPath?
  /// The first line that is visible.
  ///
  /// A section has a line for its name and one for each book.
  public private(set) var firstLine = 0
  /// A new book that shall be selected once a difference brings it.
  private var awaited: ObjectID?

  /// The number of books.
  public var count: Int { sections.reduce(0) { $0 + $1.itemIdentifiers.count } }

  /// The selected book.
  public var selectedID: ObjectID? { selection.map { id(at: $0) } }

  /// Applies what one batch changed.
  ///
  /// The selection stays on its book, wherever that goes.
  ///
  /// - Throws: `SectionedDifference.MismatchError` where a difference was left out.
  mutating func apply(_ difference: SectionedDifference) throws {
    let old = selection.map { (id: id(at: $0), rank: rank(of: $0), path: $0) }
    try difference.apply(to: &sections)
    if let id = awaited, let path = path(of: id, near: nil) {
      selection = path
      awaited = nil
    } else if let old {
      let moved = difference.objects.first { $0.objectID == old.id && $0.newIndexPath != nil }
      // A search begins at its first book, a deletion goes on to the next one.
      let rank = difference.replacement == nil ? old.rank : 0
      selection = path(of: old.id, near: moved?.newIndexPath ?? old.path) ?? path(ofRank: rank)
    } else {
      selection = path(ofRank: 0)
    }
  }

  /// Selects a book, at once or when it comes.
  mutating func select(_ id: ObjectID) {
    if let path = path(of: id, near: nil) { selection = path } else { awaited = id }
  }

  /// Moves the selection by books; at the ends it stays.
  mutating func moveSelection(by distance: Int) {
    guard let selection else { return }
    self.selection = path(ofRank: rank(of: selection) + distance)
  }

  /// Scrolls as little as possible, so that the selected book is visible.
  mutating func scroll(height: Int) {
    let total = sections.count + count
    guard let selection, height > 0 else {
      firstLine = 0
      return
    }
    let line = rank(of: selection) + selection.section + 1
    // Above the first book of a section its name is visible, too.
    let top = selection.row == 0 && height > 1 ? line - 1 : line
    firstLine = max(min(firstLine, top), line - height + 1)
    firstLine = max(0, min(firstLine, total - height))
  }
}

extension BookList {
  /// A line of the list.
  enum Line: Hashable {
    case section(name: String, count: Int)
    case book(ObjectID, isSelected: Bool)
  }

  /// The visible lines.
  ///
  /// - Complexity: O(*s* + *h*) for *s* sections and *h* lines, however many books there are.
  func lines(height: Int) -> [Line] {
    var lines: [Line] = []
    var next = 0
    for (index, section) in sections.enumerated() {
      let end = next + 1 + section.itemIdentifiers.count
      defer { next = end }
      guard lines.count < height else { break }
      guard end > firstLine else { continue }
      if next >= firstLine {
        lines.append(.section(name: section.identifier, count: section.itemIdentifiers.count))
      }
      let firstRow = max(0, firstLine - next - 1)
      let rows = section.itemIdentifiers.indices.dropFirst(firstRow).prefix(height - lines.count)
      for row in rows {
        let isSelected = selection == ResultsIndexPath(section: index, row: row)
        lines.append(.book(section.itemIdentifiers[row], isSelected: isSelected))
      }
    }
    return lines
  }

  private func id(at path: ResultsIndexPath) -> ObjectID {
    sections[path.section].itemIdentifiers[path.row]
  }

  /// How many books there are before a place.
  private func rank(of path: ResultsIndexPath) -> Int {
    sections[..<path.section].reduce(path.row) { $0 + $1.itemIdentifiers.count }
  }

  /// The place of the book with a rank, or of the nearest one.
  private func path(ofRank rank: Int) -> ResultsIndexPath? {
    var rest = max(0, min(rank, count - 1))
    for (index, section) in sections.enumerated() {
      if rest < section.itemIdentifiers.count { return ResultsIndexPath(section: index, row: rest) }
      rest -= section.itemIdentifiers.count
    }
    return nil
  }

  /// The place of a book.
  ///
  /// Looks first where it probably is.
  private func path(of id: ObjectID, near path: ResultsIndexPath?) -> ResultsIndexPath? {
    if let path, sections.indices.contains(path.section),
      sections[path.section].itemIdentifiers.indices.contains(path.row), self.id(at: path) == id
    {
      return path
    }
    for (index, section) in sections.enumerated() {
      if let row = section.itemIdentifiers.firstIndex(of: id) {
        return ResultsIndexPath(section: index, row: row)
      }
    }
    return nil
  }
}

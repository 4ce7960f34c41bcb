public import FetchedResultsMacros

/// A book on a shelf.
@Managed public final class Book: ManagedEntity {
  /// Its title.
  public var title: String
  /// Who wrote it.
  public var author: String
  /// The shelf that it is on.
  ///
  /// The list has a section for each.
  public var shelf: String
}

/// What a person says of a book, as a value.
public struct BookDraft: Hashable, Sendable {
  /// The title.
  public var title: String
  /// Who wrote it.
  public var author: String
  /// The shelf.
  public var shelf: String

  /// Creates a draft; a book without a shelf gets one for such books.
  public init(title: String, author: String, shelf: String) {
    self.title = title
    self.author = author
    self.shelf = shelf.isEmpty ? "Unsorted" : shelf
  }

  /// Reads a line of a file: title, author and shelf with tabs between them.
  ///
  /// - Returns: nil where the line has no title.
  public init?(line: String) {
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard let title = parts.first, !title.isEmpty else { return nil }
    self.init(
      title: title, author: parts.count > 1 ? parts[1] : "", shelf: parts.count > 2 ? parts[2] : "")
  }
}

extension Book {
  /// The book as a value.
  var draft: BookDraft {
    get { BookDraft(title: title, author: author, shelf: shelf) }
    set {
      title = newValue.title
      author = newValue.author
      shelf = newValue.shelf
    }
  }
}

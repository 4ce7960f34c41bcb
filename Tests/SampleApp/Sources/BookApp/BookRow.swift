package import FetchedResults

/// What a row of the lists shows.
package struct BookRow: Hashable {
  /// The book.
  package let objectID: ObjectID
  /// The book's title.
  package let title: String

  init(_ book: ManagedObject) {
    objectID = book.objectID
    title = Self.title(of: book)
  }

  /// Returns the title that the row of a book shows.
  package static func title(of book: ManagedObject) -> String { "\(book["title"])" }
}

/// A section of the lists.
package struct BookSection: Hashable {
  /// The section's name.
  package let name: String
  /// The rows, in order.
  package internal(set) var rows: [BookRow]
}

extension [BookSection] {
  init(_ controller: FetchedResultsController) {
    self = (controller.sections.map(Array<FetchedResultsSectionInfo>.init) ?? []).map { section in
      BookSection(name: section.name, rows: section.objects.map(BookRow.init))
    }
  }

  func has(_ path: ResultsIndexPath) -> Bool {
    indices.contains(path.section) && self[path.section].rows.indices.contains(path.row)
  }
}

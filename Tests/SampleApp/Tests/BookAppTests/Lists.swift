import BookApp
import FetchedResults
import FetchedResultsTesting

// The lists as `fuzz` reads them.

extension BookList: FuzzedList {
  package var shownSections: [ShownSection] { sections.map(ShownSection.init) }
  package func text(for object: ManagedObject) -> String? { BookRow.title(of: object) }
}

extension StaleBookList: FuzzedList {
  package var shownSections: [ShownSection] { sections.map(ShownSection.init) }
  package func text(for object: ManagedObject) -> String? { BookRow.title(of: object) }
}

extension HastyBookList: FuzzedList {
  package var shownSections: [ShownSection] {
    get throws {
      if let problem { throw ListFault(description: problem) }
      return sections.map(ShownSection.init)
    }
  }
  package func text(for object: ManagedObject) -> String? { BookRow.title(of: object) }
}

extension ShownSection {
  init(_ section: BookSection) {
    let rows = section.rows.map { ShownRow(objectID: $0.objectID, text: $0.title) }
    self.init(name: section.name, rows: rows)
  }
}

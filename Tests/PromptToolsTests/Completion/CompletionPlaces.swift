import PromptTools
import ScriptWorlds
import Testing

/// A session with something of each kind, and the completions in it.
enum CompletionPlaces {
  private static let library = """
    entity Author { name: String }
    entity Book { title: String, publisher: String = "", pages: Int = 0 }
    let dune = insert Book(title: "Dune")
    let words = ["a", "b"]
    request recent = Book where pages > 10 sort by title
    controller books = Book sort by publisher, title section by publisher
    fetch books
    """

  /// Returns the completions at the `
  /// ` of a text.
  static func completions(_ marked: String) throws -> Completions {
    let world = try ScriptWorld(library)
    let cursor = try #require(marked.firstIndex(of: "|"))
    let text = String(marked[..<cursor]) + marked[cursor...].dropFirst()
    return Completions(in: text, at: marked[..<cursor].utf8.count, session: world.session)
  }

  static func candidates(_ marked: String) throws -> [String] {
    try completions(marked).candidates
  }
}

let attributes = ["title", "publisher", "pages"]
let clauses = [
  "where ", "sort by ", "section by ", "limit ", "offset ", "batch ", "cache ", "keep limit ",
  "track related ",
  "prefetch ",
  "includesPendingChanges ", "returnsObjectsAsFaults ", "shouldRefreshRefetchedObjects ",
  "values ", "group by ", "having ", "distinct ", "returning ",
]
let sources = ["Author", "Book", "recent", "books"]

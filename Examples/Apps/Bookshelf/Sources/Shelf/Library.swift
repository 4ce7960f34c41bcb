public import FetchedResultsMacros
import FetchedResultsSQLite
public import Foundation

/// The books in a file, and the list of those that match a search.
///
/// Everything here runs on the main actor, as the context does. Only the import works elsewhere.
@MainActor
public final class Library {
  let container: PersistentContainer
  private let context: ManagedObjectContext
  private let controller: FetchedResultsController<Book>

  /// Opens a file, or makes one where there is none; nil is a library in memory.
  public convenience init(file: URL?) throws {
    let model = try ManagedObjectModel(for: Book.self)
    try self.init(
      file.map { try PersistentContainer(managedObjectModel: model, sqliteStoreAt: $0) }
        ?? PersistentContainer(managedObjectModel: model))
  }

  private init(_ container: PersistentContainer) throws {
    self.container = container
    context = try container.newContext()
    context.undoManager = UndoHistory()
    // Where an import changed the same book, what was typed here wins.
    context.mergePolicy = .mergeByPropertyObjectTrump
    controller = try FetchedResultsController(
      fetchRequest: try Self.request(search: ""), managedObjectContext: context,
      sectionNameKeyPath: \.shelf)
  }

  static func request(search: String) throws -> FetchRequest<Book> {
    let order: [FetchSort<Book>] = [
      FetchSort(\.shelf), FetchSort(\.title, .localizedStandardCompare), FetchSort(\.author),
    ]
    if search.isEmpty { return FetchRequest(sortBy: order) }
    return try FetchRequest(
      predicate: #Predicate<Book> {
        $0.title.localizedStandardContains(search) || $0.author.localizedStandardContains(search)
      }, sortBy: order)
  }
}

extension Library {
  /// Fetches the list, and follows it.
  ///
  /// - Returns: What changes in the list: everything first, then one difference after another.
  public func follow() throws -> AsyncStream<SectionedDifference> {
    // A controller follows its context from the fetch on only if someone observes it by then.
    let changes = controller.changes
    try controller.performFetch()
    return changes
  }

  /// Shows only books whose title or author has the text.
  ///
  /// The next difference says what the list is then.
  public func search(_ text: String) throws {
    controller.setFetchRequest(try Self.request(search: text))
    try controller.performFetch()
  }

  /// Returns what a line of the list says; nil where the book is gone.
  public func draft(of id: ObjectID) -> BookDraft? { book(id)?.draft }

  /// Puts a new book on its shelf.
  public func add(_ draft: BookDraft) async throws -> ObjectID {
    let book = Book(title: draft.title, author: draft.author, shelf: draft.shelf, in: context)
    try await save()
    return book.objectID
  }

  /// Changes a book.
  public func edit(_ id: ObjectID, to draft: BookDraft) async throws {
    book(id)?.draft = draft
    try await save()
  }

  /// Removes a book.
  public func delete(_ id: ObjectID) async throws {
    book(id)?.delete()
    try await save()
  }

  /// Takes the last change back.
  ///
  /// Returns whether there was one.
  public func undo() async throws -> Bool {
    guard context.undoManager?.canUndo == true else { return false }
    context.undo()
    try await save()
    return true
  }

  /// Redoes the change that was undone last.
  ///
  /// Returns whether there was one.
  public func redo() async throws -> Bool {
    guard context.undoManager?.canRedo == true else { return false }
    context.redo()
    try await save()
    return true
  }

  /// Adds the books of a file in the background.
  ///
  /// The list follows while the import runs. Books that were saved stay if it is cancelled.
  ///
  /// - Parameter didSave: Called with the number of books saved so far, on no particular thread.
  /// - Returns: How many books the file has.
  public func importBooks(
    from path: String, didSave: @escaping @Sendable (Int) -> Void
  ) async throws -> Int {
    try await container.insert(
      BookFile(path: path), of: Book.self, savingEvery: 500, didSave: didSave
    ) { draft, book in
      book.draft = draft
    }
  }

  private func save() async throws {
    try await context.save()
    // The turn ends here, so one undo takes back one command.
    context.processPendingChanges()
  }

  private func book(_ id: ObjectID) -> Book? {
    guard let object = try? context.existingObject(with: id) else { return nil }
    return Book(managedObject: object)
  }
}

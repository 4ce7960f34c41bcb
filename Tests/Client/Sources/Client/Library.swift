import FetchedResults

/// The app's model: books with a title, a publisher and a number of pages.
struct Library {
  let context: ManagedObjectContext
  let book: EntityDescription

  init() throws {
    book = try EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription(name: "title", type: .string),
        AttributeDescription(name: "publisher", type: .string, defaultValue: "unknown"),
        AttributeDescription(name: "pages", type: .integer64, defaultValue: 0),
      ],
      displayAttribute: "title")
    let model = try ManagedObjectModel(entities: [book])
    context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(managedObjectModel: model))
  }

  @discardableResult
  func add(_ title: String, publisher: String, pages: Int64) -> ManagedObject {
    let object = context.insert(book)
    object["title"] = .string(title)
    object["publisher"] = .string(publisher)
    object["pages"] = .int(pages)
    return object
  }
}

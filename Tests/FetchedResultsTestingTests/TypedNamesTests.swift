import FetchedResultsMacros
import FetchedResultsTesting
import Testing

@Managed final class TypedBook {
  var title: String
}

/// Tests of an app with managed classes use the short names of both modules.
@Suite("Typed names beside the fuzzer")
struct TypedNamesTests {
  @Test("requests and controllers are those of managed classes")
  func names() throws {
    let context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(
        managedObjectModel: try ManagedObjectModel(for: TypedBook.self)))
    _ = TypedBook(title: "Dune", in: context)
    let request = FetchRequest<TypedBook>(sortBy: [.init(\.title)])
    let controller: FetchedResultsController<TypedBook> = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: context)
    try controller.performFetch()
    #expect(controller.objects.map(\.title) == ["Dune"])
  }

  @Test("random turns are those for lists of the engine")
  func fuzzing() throws {
    try fuzz(turns: 50, seed: 1) { BookList() }
  }
}

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

  /// A list of an app, as the delegate of a typed controller.
  private final class TypedList: FetchedResultsControllerDelegate {
    let implementedMethods: FetchedResultsDelegateMethods = [.didChangeContent]
    private(set) var titles: [String] = []
    private(set) var rows: [ObjectID] = []
    private let isBroken: Bool

    init(isBroken: Bool) { self.isBroken = isBroken }

    func controllerDidChangeContent(_ controller: FetchedResultsController<TypedBook>) {
      if isBroken, controller.objects.count > 2 { return }
      reload(controller)
    }

    func reload(_ controller: FetchedResultsController<TypedBook>) {
      rows = controller.objects.map(\.id)
      titles = controller.objects.map(\.title)
    }
  }

  /// Gives the engine's controllers of random turns to a typed list.
  private final class FuzzedTypedList: FuzzedList {
    private let list: TypedList
    private var controller: FetchedResultsController<TypedBook>?

    init(isBroken: Bool) { list = TypedList(isBroken: isBroken) }

    func reload(from controller: EngineFetchedResultsController) {
      let typed = FetchedResultsController<TypedBook>(controller)
      typed.delegate = list
      list.reload(typed)
      self.controller = typed
    }

    var shownSections: [ShownSection] {
      let rows = zip(list.rows, list.titles).map { ShownRow(objectID: $0, text: $1) }
      // Whether no rows are a section is the controller's affair.
      let hasSection = controller?.sections?.isEmpty == false || !rows.isEmpty
      return hasSection ? [ShownSection(name: "", rows: rows)] : []
    }

    func text(for object: ManagedObject) -> String? { TypedBook(managedObject: object).title }
  }

  @Test("random turns test a list of a typed controller", arguments: [false, true])
  func typedFuzzing(isBroken: Bool) {
    let shape = FuzzShape(
      "typed books",
      """
      entity TypedBook { title: String = "" }
      controller books = TypedBook sort by title
      """)
    let failure = findFailure(turns: 300, seed: 1, shapes: [shape]) {
      FuzzedTypedList(isBroken: isBroken)
    }
    #expect((failure == nil) != isBroken, "\(failure.map { "\($0)" } ?? "no failure")")
  }

  @Test("random turns are those for lists of the engine")
  func fuzzing() throws {
    try fuzz(turns: 50, seed: 1) { BookList() }
  }
}

import FetchedResults

/// One controller of a world, and what it should show and report.
final class Watcher {
  /// A controller's configuration, in the engine's words and in plain Swift.
  struct Configuration {
    let name: String
    let sort: [String]
    let section: String?
    let precedes: (World.Values, World.Values) -> Bool?
    let sectionName: (World.Values) -> String
    /// The predicate; nil for all objects.
    var format: String?
    var matches: (World.Values) -> Bool = { _ in true }
  }

  let configuration: Configuration
  let controller: FetchedResultsController
  let delegate = RecordingDelegate(keepsWords: false)
  private unowned let world: World
  /// What the controller should show; nil without results.
  private var expected: NaiveResults?
  private var isStopped = false
  private var expectedCallbacks: [Callback] = []
  /// What was shown before the turn.
  private var before: [NaiveResults.Section] = []

  init(_ configuration: Configuration, in world: World) throws {
    self.configuration = configuration
    self.world = world
    controller = try Self.controller(configuration, in: world)
    controller.delegate = delegate
    controller.treeShape =
      [
        .standard, CountedTreeShape(leafCapacity: 2, fanOut: 3),
        CountedTreeShape(leafCapacity: 8, fanOut: 4),
      ].randomElement(using: &world.random) ?? .standard
    try fetch()
  }

  private static func controller(
    _ configuration: Configuration, in world: World
  ) throws -> FetchedResultsController {
    let request = FetchRequest(
      entity: world.entity,
      predicate: try configuration.format.map { try FetchPredicate(format: $0) },
      sortDescriptors: configuration.sort.map(FetchSortDescriptor.init(_:)))
    return try FetchedResultsController(
      fetchRequest: request, managedObjectContext: world.context,
      sectionNameKeyPath: configuration.section)
  }
}

// MARK: - What should be

extension Watcher {
  /// All matching objects in order, by the values last processed.
  private func naiveResults() -> NaiveResults {
    let rows = world.things.compactMap { number, thing in thing.processed.map { (number, $0) } }
      .filter { configuration.matches($0.1) }
      .sorted { configuration.precedes($0.1, $1.1) ?? ($0.0 < $1.0) }
      .map { NaiveResults.Row(number: $0.0, section: configuration.sectionName($0.1)) }
    return NaiveResults(rows: rows, isSectioned: configuration.section != nil)
  }

  func expectBatch(_ changed: Set<Int64>) {
    guard let old = expected, !isStopped else { return }
    let new = naiveResults()
    switch old.outcome(new, changed: changed) {
    case .callbacks(let callbacks):
      expectedCallbacks += callbacks
      expected = new
      replay(callbacks, from: old, to: new)
    case .outOfOrder: isStopped = true
    }
  }

  /// The second law, checked on the model's own callbacks; the controller's
  /// are compared with those.
  private func replay(_ callbacks: [Callback], from old: NaiveResults, to new: NaiveResults) {
    do {
      let sections = try TableReplay.apply(callbacks, to: old.sections)
      if sections != new.sections { world.fail("a replay gives \(sections)", self) }
    } catch {
      world.fail("a replay fails: \(error)", self)
    }
  }

  /// Fetches, and expects what the model expects of it.
  func fetch() throws {
    let new = naiveResults()
    isStopped = false
    do {
      try controller.performFetch()
      if new.outOfOrder != nil { world.fail("performFetch should fail", self) }
      expected = new
    } catch FetchedResultsError.outOfOrderSection(let index, let previousName) {
      let error = NaiveResults.OutOfOrder(index: index, previousName: previousName)
      if new.outOfOrder != error { world.fail("performFetch fails with \(error)", self) }
      expected = nil
    }
  }

  var needsFetch: Bool { expected == nil || isStopped }
}

// MARK: - What is

extension Watcher {
  /// Compares what was heard and is shown with what should be.
  func check(isThorough: Bool) throws {
    if delegate.callbacks != expectedCallbacks {
      world.fail(
        "heard\n  \(delegate.callbacks.text)\nexpected\n  \(expectedCallbacks.text)", self)
    }
    let shown = shownSections(of: controller)
    if shown != expected?.sections {
      world.fail("shows \(shown.text)\nexpected \(expected?.sections.text ?? "nothing")", self)
    }
    if isThorough { controller.checkInvariants() }
    if isThorough, expected != nil, !isStopped {
      let fresh = try Self.controller(configuration, in: world)
      try fresh.performFetch()
      if shownSections(of: fresh) != shown { world.fail("a fresh controller shows another", self) }
    }
    before = shown ?? []
    expectedCallbacks = []
    delegate.forget()
  }

  private func shownSections(
    of controller: FetchedResultsController
  ) -> [NaiveResults.Section]? {
    controller.sections?.map {
      NaiveResults.Section(name: $0.name, numbers: $0.objects.numbers)
    }
  }

  /// What was shown before the turn, for the report of a failure.
  var description: String { "\(configuration.name)\nbefore \(before.text)" }
}

extension [Callback] {
  /// The callbacks a line each.
  fileprivate var text: String {
    map { callback in
      if case .object(_, let number, _, _) = callback { return callback.words("\(number)") }
      return callback.words("")
    }.joined(separator: "\n  ")
  }
}

extension [NaiveResults.Section]? {
  fileprivate var text: String { self?.text ?? "nothing" }
}

extension [NaiveResults.Section] {
  /// The sections in one line: `[A: 1 2] [B: 3]`.
  fileprivate var text: String {
    map { "[\($0.name): \($0.numbers.map(String.init).joined(separator: " "))]" }
      .joined(separator: " ")
  }
}

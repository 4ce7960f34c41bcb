import FetchedResults
import NaiveModel

/// A controller whose delegate changes the context inside its callbacks.
///
/// The callbacks then depend on which delegate made changes when, so the rules are weaker. Each
/// batch, including one with a nested batch, must replay to the results at its beginning. After
/// everything is processed, the results must be those of a new fetch.
final class Meddler {
  let configuration: Watcher.Configuration
  let controller: FetchedResultsController
  let delegate = RecordingDelegate(keepsWords: false)
  private unowned let world: World
  /// Retained here, because a controller holds its delegate weakly.
  private var checker: CheckingDelegate?
  private(set) var failure: String?
  /// How many batches were replayed.
  private(set) var replayed = 0

  init(_ configuration: Watcher.Configuration, in world: World) throws {
    self.configuration = configuration
    self.world = world
    controller = try Watcher.controller(configuration, in: world)
    let checker = CheckingDelegate(of: delegate) { [unowned self] in fail("\($0)") }
    self.checker = checker
    controller.delegate = checker
    controller.treeShape = CountedTreeShape(leafCapacity: 4, fanOut: 3)
    try controller.performFetch()
    delegate.reaction = { [unowned self] callback, _ in answer(callback) }
  }

  private var shown: [NaiveResults.Section] { Watcher.shownSections(of: controller) ?? [] }

  private func answer(_ callback: Callback) {
    if callback == .didChange { replayed += 1 }
    world.meddle()
  }

  private func fail(_ reason: String) { failure = failure ?? "\(configuration.name): \(reason)" }

  func fetch() {
    _ = try? controller.performFetch()
  }

  /// Checks what must be true once everything is processed.
  func check() throws {
    checker?.checkSections(of: controller)
    controller.checkInvariants()
    let fresh = try Watcher.controller(configuration, in: world)
    try fresh.performFetch()
    let expected = Watcher.shownSections(of: fresh)
    if Watcher.shownSections(of: controller) != expected {
      fail("shows \(shown), a fetch \(expected ?? [])")
    }
    delegate.forget()
  }
}

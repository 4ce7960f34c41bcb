import FetchedResults
import NaiveModel

/// A controller whose delegate meddles with the context inside its callbacks.
///
/// What is heard then depends on who meddled when, so the laws are weaker:
/// every batch, also one in which another was nested, replays to what the
/// controller shows as it begins to be told, and once all is processed the
/// results are those of a new fetch.
final class Meddler {
  let configuration: Watcher.Configuration
  let controller: FetchedResultsController
  let delegate = RecordingDelegate(keepsWords: false)
  private unowned let world: World
  /// Held here, since a controller holds its delegate weakly.
  private var witness: ReplayWitness?
  private(set) var failure: String?
  /// How many batches were replayed.
  private(set) var replayed = 0

  init(_ configuration: Watcher.Configuration, in world: World) throws {
    self.configuration = configuration
    self.world = world
    controller = try Watcher.controller(configuration, in: world)
    let witness = ReplayWitness(of: delegate) { [unowned self] in fail("\($0)") }
    self.witness = witness
    controller.delegate = witness
    controller.treeShape = CountedTreeShape(leafCapacity: 4, fanOut: 3)
    try controller.performFetch()
    delegate.reaction = { [unowned self] callback, _ in hear(callback) }
  }

  private var shown: [NaiveResults.Section] { Watcher.shownSections(of: controller) ?? [] }

  private func hear(_ callback: Callback) {
    if callback == .didChange { replayed += 1 }
    world.meddle()
  }

  private func fail(_ reason: String) { failure = failure ?? "\(configuration.name): \(reason)" }

  func fetch() {
    _ = try? controller.performFetch()
  }

  /// Checks what has to hold once everything is processed.
  func check() throws {
    witness?.checkSections(of: controller)
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

import FetchedResults
import PromptTools
import ScriptRuntime

/// Describes what a move through the timeline has changed.
struct TakenBack {
  /// The compared state of a session.
  struct State {
    let position: Int
    let seen: [SeenController]
    let changes: [String: Int]
    let names: Set<String>

    init(_ timeline: SessionTimeline) {
      let session = timeline.session
      position = timeline.position
      seen = timeline.seen(at: timeline.position)
      changes = session.tally.changes
      names = Set(
        session.entities.map(\.name) + session.variableNames + session.controllerNames
          + session.tableNames + session.requests.keys + session.contexts.map(\.name))
    }
  }

  let lines: [String]

  /// The largest number of rows that are named.
  private static let most = 8

  init(from old: State, to new: State) {
    let isBack = new.position < old.position
    let seen = DifferencePane(SeenDifference(from: old.seen, to: new.seen)).lines(atMost: Self.most)
    var words: [String] = []
    let gone = old.names.subtracting(new.names).sorted()
    let came = new.names.subtracting(old.names).sorted()
    if !gone.isEmpty { words.append("no longer defined: \(Self.list(gone))") }
    if !came.isEmpty { words.append("defined again: \(Self.list(came))") }
    // This counts the objects that no controller shows.
    let entities = Set(old.changes.keys).union(new.changes.keys).sorted()
    for entity in entities where seen.isEmpty {
      let count = abs((new.changes[entity] ?? 0) - (old.changes[entity] ?? 0))
      guard count > 0 else { continue }
      let changes = "\(count) \(count == 1 ? "change" : "changes")"
      words.append("\(entity): \(changes) \(isBack ? "undone" : "redone")")
    }
    lines = (seen + words).map { "#   \($0)" }
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(most).joined(separator: ", ") + (names.count > most ? ", …" : "")
  }
}

import FetchedResults
import NaiveModel

/// Applies callbacks to sections in the same way as UITableView applies batch updates.
enum TableReplay {
  /// Returns the sections after a batch; see `ReplayLaw`.
  static func apply(
    _ callbacks: [Callback], to old: [NaiveResults.Section]
  ) throws -> [NaiveResults.Section] {
    let before = old.map { ReplayLaw.Section(name: $0.name, rows: $0.numbers) }
    let changes = callbacks.compactMap { callback -> ReplayLaw<Int64>.Change? in
      switch callback {
      case .willChange, .didChange: nil
      case .object(let type, let number, let path, let newPath):
        .object(type, number, at: path, newIndexPath: newPath)
      case .section(let type, let index, let name): .section(type, index: index, name: name)
      }
    }
    return try ReplayLaw.sections(after: changes, from: before)
      .map { NaiveResults.Section(name: $0.name, numbers: $0.rows) }
  }
}

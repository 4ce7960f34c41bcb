import FetchedResults

/// Carries callbacks out on sections as UITableView carries batch updates out.
enum TableReplay {
  /// Why callbacks do not fit the sections.
  struct Misfit: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  /// Returns the sections after a batch.
  ///
  /// Deletes and the old places of moves count in the sections before, section
  /// deletes by the old index; section inserts by the new one, inserts and the
  /// new places of moves by the path after. Rows of deleted and inserted
  /// sections have to be told one by one, too.
  static func apply(
    _ callbacks: [Callback], to old: [NaiveResults.Section]
  ) throws -> [NaiveResults.Section] {
    var removals: [ResultsIndexPath: Int64] = [:]
    var insertions: [(path: ResultsIndexPath, number: Int64)] = []
    var updates: [(path: ResultsIndexPath, number: Int64)] = []
    var removedSections: [Int] = []
    var insertedSections: [(index: Int, name: String)] = []
    for callback in callbacks {
      switch callback {
      case .willChange, .didChange: break
      case .section(.delete, let index, _): removedSections.append(index)
      case .section(_, let index, let name): insertedSections.append((index, name))
      case .object(let type, let number, let path, let newPath):
        if let path, type != .update, removals.updateValue(number, forKey: path) != nil {
          throw Misfit("two rows leave \(path)")
        }
        guard let newPath else { break }
        if type == .update {
          updates.append((newPath, number))
        } else {
          insertions.append((newPath, number))
        }
      }
    }

    var sections = old
    for (path, number) in removals.sorted(by: { $0.key > $1.key }) {
      guard sections.indices.contains(path.section),
        sections[path.section].numbers.indices.contains(path.row),
        sections[path.section].numbers.remove(at: path.row) == number
      else { throw Misfit("\(number) is not at \(path) before") }
    }
    for index in removedSections.sorted(by: >) {
      guard sections.indices.contains(index) else { throw Misfit("no section \(index) before") }
      guard sections.remove(at: index).numbers.isEmpty else {
        throw Misfit("rows of the deleted section \(index) were left out")
      }
    }
    for (index, name) in insertedSections.sorted(by: { $0.index < $1.index }) {
      guard index <= sections.count else { throw Misfit("no section \(index) after") }
      sections.insert(NaiveResults.Section(name: name, numbers: []), at: index)
    }
    for (path, number) in insertions.sorted(by: { $0.path < $1.path }) {
      guard sections.indices.contains(path.section),
        path.row <= sections[path.section].numbers.count
      else { throw Misfit("no place \(path) after") }
      sections[path.section].numbers.insert(number, at: path.row)
    }
    for (path, number) in updates {
      guard sections.indices.contains(path.section),
        sections[path.section].numbers.indices.contains(path.row),
        sections[path.section].numbers[path.row] == number
      else { throw Misfit("\(number) is not at \(path) after") }
    }
    return sections
  }
}

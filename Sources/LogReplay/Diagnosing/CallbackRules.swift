package import FetchedResults
package import ScriptRuntime

extension LogBatch {
  /// Returns the rules that may have sent a callback, as far as the log shows.
  package func rules(of change: Callback.Change) -> [Rule] {
    switch change {
    case .section(let change): rules(of: change)
    case .object(let change): rules(of: change)
    }
  }

  private func rules(of change: SectionChange) -> [Rule] {
    let isReordered = sectionChanges.contains { other in
      other.change.name != nil && other.change.name == change.name
        && other.change.type != change.type
    }
    if isReordered { return [.sectionReordered] }
    return change.type == .insert ? [.sectionFilled] : [.sectionEmptied]
  }

  private func rules(of change: ObjectChange) -> [Rule] {
    switch change.type {
    case .insert: [.created, .startedMatching]
    case .delete: [.deleted, .stoppedMatching]
    case .update: [.keptPlace]
    case .move: moveRules(from: change.old, to: change.new)
    }
  }

  /// Returns the rules that can move a row.
  package func moveRules(
    from old: ResultsIndexPath?, to new: ResultsIndexPath?
  ) -> [Rule] {
    guard let old, let new else { return [] }
    if let before = before?.sections, let after = after?.sections,
      before.indices.contains(old.section), after.indices.contains(new.section)
    {
      if before[old.section].name != after[new.section].name { return [.changedSection] }
    } else if sectionChanges.isEmpty, old.section != new.section {
      return [.changedSection]
    } else if !sectionChanges.isEmpty {
      return [.changedSection, .passedUnchanged, .passedChanged]
    }
    if old == new, sectionChanges.isEmpty { return [.samePathMove] }
    guard let passed = passedRows(from: old, to: new) else {
      return [.passedUnchanged, .passedChanged]
    }
    let updated = Set(
      objectChanges.filter { $0.change.type == .update }.compactMap(\.change.object))
    return passed.isSubset(of: updated) && !passed.isEmpty ? [.passedChanged] : [.passedUnchanged]
  }

  /// Returns the rows of a section that were before a row and are now after it, or the reverse.
  private func passedRows(
    from old: ResultsIndexPath, to new: ResultsIndexPath
  ) -> Set<String>? {
    guard let before = before?.rows, let after = after?.rows,
      before.indices.contains(old.section), after.indices.contains(new.section)
    else { return nil }
    let oldRows = before[old.section].rows
    let newRows = after[new.section].rows
    guard oldRows.indices.contains(old.row), newRows.indices.contains(new.row) else { return nil }
    let down = Set(oldRows[(old.row + 1)...]).intersection(newRows[..<new.row])
    let up = Set(oldRows[..<old.row]).intersection(newRows[(new.row + 1)...])
    return down.union(up)
  }
}

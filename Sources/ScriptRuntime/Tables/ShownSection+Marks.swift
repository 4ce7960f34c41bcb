import FetchedResults
package import TableViews

/// What the last turn did to the rows of a section, for whoever sees it on a
/// terminal; no part of what a script prints.
package struct SectionMarks {
  package var isInserted = false
  /// By row.
  package var rows: [Int: TableRowMark] = [:]
  /// Rows that changed without the controller following.
  package var stale: Set<Int> = []
  /// The rows and sections that went.
  package var gone: [Gone] = []

  /// A row or a section that went, as it was listed.
  package struct Gone {
    package let text: String
    /// The row before which it would stand; nil for before the section itself.
    package let nextRow: Int?
  }

  package init() {}
}

/// A line of `show books` with its mark.
package struct MarkedLine {
  package let text: String
  package let mark: TableRowMark?
  package let isStale: Bool

  init(text: String, mark: TableRowMark?, isStale: Bool = false) {
    self.text = text
    self.mark = mark
    self.isStale = isStale
  }
}

extension EventFormatter {
  /// The lines of `show books` as a person sees them: with what the last turn
  /// did, in place of the blanks before a row.
  package static func markedLines(of sections: [ShownSection]) -> [MarkedLine] {
    sections.enumerated().flatMap { index, section in
      let plain = lines(for: section, at: index)
      let marks = section.marks
      let gone = { (isHere: (Int?) -> Bool) in
        marks.gone.filter { isHere($0.nextRow) }.map { MarkedLine(text: $0.text, mark: .deleted) }
      }
      var result = gone { $0 == nil }
      for (offset, text) in plain.enumerated() {
        guard offset > 0 else {
          let mark: TableRowMark? = marks.isInserted ? .inserted : nil
          result.append(MarkedLine(text: mark.map { "\($0.symbol) \(text)" } ?? text, mark: mark))
          continue
        }
        let row = offset - 1
        result += gone { $0 == row }
        let isStale = marks.stale.contains(row)
        let symbol = isStale ? "!" : marks.rows[row]?.symbol ?? " "
        result.append(
          MarkedLine(text: symbol + text.dropFirst(), mark: marks.rows[row], isStale: isStale))
      }
      return result + gone { $0.map { $0 >= plain.count - 1 } ?? false }
    }
  }
}

extension Interpreter {
  /// The marks of a controller's sections: what the last turn that concerned it
  /// did, where reasons are kept, and what it has not followed.
  func marks(of binding: ControllerBinding) -> [SectionMarks] {
    guard keepsReasons, let sections = binding.controller.sections else { return [] }
    let decisions = turnLog.decisions(of: binding)
    var kinds: [Int64: TableRowMark] = [:]
    for decision in decisions {
      for change in decision.inserts + decision.movesAndUpdates {
        kinds[change.number] = TableRowMark(change.kind, after: kinds[change.number])
      }
    }
    let stale = binding.controller.staleNumbers
    var marks = sections.map { section in
      var marks = SectionMarks()
      guard !kinds.isEmpty || !stale.isEmpty else { return marks }
      for (row, number) in section.objects.numbers.enumerated() {
        marks.rows[row] = kinds[number]
        if stale.contains(number) { marks.stale.insert(row) }
      }
      return marks
    }
    if let last = decisions.last { note(last, in: &marks, of: binding) }
    return marks
  }

  /// Notes the rows and sections that came and went in a batch.
  private func note(
    _ decision: ResultsDecision, in marks: inout [SectionMarks], of binding: ControllerBinding
  ) {
    for section in decision.sectionInserts where marks.indices.contains(section.index) {
      marks[section.index].isInserted = true
    }
    guard !marks.isEmpty else { return }
    let deleted = Set(decision.sectionDeletes.map(\.index))
    let inserted = Set(decision.sectionInserts.map(\.index))
    let count = marks.count - inserted.count + deleted.count
    let kept = (0..<marks.count).filter { !inserted.contains($0) }
    /// Where an old section is now; of one that went, where the next is.
    func place(ofOld index: Int) -> Int {
      let before = (0..<min(index, count)).filter { !deleted.contains($0) }.count
      return before < kept.count ? kept[before] : marks.count
    }
    let deletes = Dictionary(grouping: decision.deletes) { $0.indexPath?.section ?? 0 }
    for section in decision.sectionDeletes {
      add(
        ["- section \(section.index) \(section.name.quoted)"]
          + (deletes[section.index] ?? []).map { line(for: $0, of: binding) },
        before: place(ofOld: section.index), to: &marks)
    }
    for (section, changes) in deletes where !deleted.contains(section) {
      let index = place(ofOld: section)
      guard marks.indices.contains(index) else { continue }
      let leaving = Set(
        (decision.deletes + decision.movesAndUpdates.filter { $0.kind == .move })
          .compactMap(\.indexPath).filter { $0.section == section }.map(\.row))
      for change in changes {
        let row = change.indexPath?.row ?? 0
        let staying = row - leaving.filter { $0 < row }.count
        marks[index].gone.append(
          SectionMarks.Gone(
            text: line(for: change, of: binding),
            nextRow: marks[index].row(behind: staying, of: rowCount(index, of: binding))))
      }
    }
  }

  private func rowCount(_ section: Int, of binding: ControllerBinding) -> Int {
    binding.controller.sections?[section].numberOfObjects ?? 0
  }

  /// Puts lines before a section, or behind the last.
  private func add(_ lines: [String], before index: Int, to marks: inout [SectionMarks]) {
    let isBehind = index >= marks.count
    let index = min(index, marks.count - 1)
    marks[index].gone += lines.map {
      SectionMarks.Gone(text: $0, nextRow: isBehind ? .max : nil)
    }
  }

  private func line(for change: ResultsDecision.RowChange, of binding: ControllerBinding) -> String
  {
    let object = change.object.map(binding.shown)
    return "- \(change.indexPath.map(\.description) ?? "") \(object?.description ?? "")"
  }
}

extension SectionMarks {
  /// The row behind some rows that neither came nor moved here.
  fileprivate func row(behind staying: Int, of count: Int) -> Int {
    var rest = staying
    for row in 0..<count where rows[row] != .inserted && rows[row] != .moved {
      if rest == 0 { return row }
      rest -= 1
    }
    return count
  }
}

extension TableRowMark {
  /// The mark of a change; what came in the same turn stays new, whatever else
  /// became of it.
  fileprivate init(_ kind: ResultsDecision.RowChange.Kind, after earlier: TableRowMark?) {
    if earlier == .inserted || earlier == .moved && kind == .update {
      self = earlier ?? .updated
      return
    }
    self =
      switch kind {
      case .insert: .inserted
      case .delete: .deleted
      case .move: .moved
      case .update: .updated
      }
  }
}

import FetchedResults
import ScriptSyntax
import TableViews

extension Interpreter {
  /// `table view = books { update configureCell }`.
  ///
  /// The table becomes the controller's delegate. The name may be defined anew.
  func define(
    table name: Name, of controller: Name, as syntax: TableSyntax
  ) throws(ScriptError) {
    try refuseEntity(name)
    let binding = try self.controller(controller)
    if let old = session.tables[name.text], old.isDelegate {
      setDelegate(of: old.controller, to: .changes)
    }
    warnOfDetachedTable(of: binding, controller.range)
    let table = TableBinding(
      name: name.text, of: binding, mode: FetchedResultsTable.Mode(syntax), emit: emit)
    table.followTurns { [weak session] in session?.turn ?? 0 }
    session.define(table)
    binding.delegate = .table(table.table.mode)
    setDelegate(
      of: binding,
      to: TableRecorder(table.table, named: table.name, of: binding, emit: emit))
  }

  /// `suspend view`.
  func suspend(_ name: Name) throws(ScriptError) { try table(name).table.suspend() }

  /// `resume view`: from the next turn on.
  func resume(_ name: Name) throws(ScriptError) { try table(name).table.resume() }

  /// `reload view`.
  func reload(_ name: Name) throws(ScriptError) { try table(name).table.reload() }

  /// `trace view on`.
  func trace(_ name: Name, isOn: Bool) throws(ScriptError) {
    try table(name).table.isTraced = isOn
  }

  /// Returns a table by its name.
  func table(_ name: Name) throws(ScriptError) -> TableBinding {
    if let binding = session.tables[name.text] { return binding }
    if let meaning = session.anyMeaning(of: name.text) {
      throw failure(.notTable(name.text, is: meaning), name.range)
    }
    throw failure(
      .unknownTable(
        name.text, suggestion: nearestName(to: name.text, among: session.tableNames)),
      name.range)
  }

  /// Lets tables come to the screen that have something to show, and the
  /// suspended go on, as at the end of a turn.
  func settleTables() {
    for name in session.tableNames {
      guard let table = session.tables[name]?.table else { continue }
      table.turnDidEnd()
      table.loadIfFetched()
    }
  }

  /// `perform stepping { … }`: one turn, with its tables after each callback.
  func performStepping(_ body: [Statement], on name: Name?, _ range: Range<Int>)
    throws(ScriptError)
  {
    guard session.stepper == nil else { return try perform(body, on: name, range) }
    session.stepper = Stepper(
      show: { [weak self] in self?.showStep(of: $0) },
      awaitKey: { [weak self] in self?.environment.awaitStep($0) ?? false })
    defer { session.stepper = nil }
    do throws(ScriptError) {
      try perform(body, on: name, range)
    } catch {
      processIfTurnEnds(range)
      throw error
    }
    processIfTurnEnds(range)
  }

  /// Shows the tables of a controller, or the controller itself where it has
  /// none.
  private func showStep(of controller: ControllerBinding) {
    let tables = session.tableNames.compactMap { session.tables[$0] }
      .filter { $0.controller === controller }
    for table in tables { emit(.showTable(ShownTable(table))) }
    if tables.isEmpty, let sections = shownSections(of: controller) {
      emit(.show(controller: controller.name, sections: sections))
    }
  }
}

extension FetchedResultsTable.Mode {
  fileprivate init(_ syntax: TableSyntax) {
    switch syntax {
    case .template: self = .reactions(TableReactions())
    case .reload: self = .reload
    case .reactions(let lines):
      var reactions = TableReactions()
      for line in lines {
        reactions[TableReactions.Change(line.change)] = line.reactions.map(
          TableReactions.Reaction.init)
      }
      self = .reactions(reactions)
    }
  }
}

extension TableReactions.Change {
  fileprivate init(_ word: TableReactionSyntax.Change) {
    self =
      switch word {
      case .insert: .insert
      case .delete: .delete
      case .update: .update
      case .move: .move
      case .sectionInsert: .sectionInsert
      case .sectionDelete: .sectionDelete
      }
  }
}

extension TableReactions.Reaction {
  fileprivate init(_ word: TableReactionSyntax.Reaction) {
    self =
      switch word {
      case .insertRows: .insertRows
      case .deleteRows: .deleteRows
      case .reloadRows: .reloadRows
      case .moveRow: .moveRow
      case .configureCell: .configureCell
      case .configureCellWithObject: .configureCellWithObject
      case .insertSections: .insertSections
      case .deleteSections: .deleteSections
      case .reloadData: .reloadData
      case .nothing: .nothing
      }
  }
}

import FetchedResults
import ScriptSyntax
import TableViews

/// Statements about tables.
struct TableCommands {
  let session: Session
  let names: NameLookup
  let events: EventEmitter
  let delegates: DelegateCommands

  /// `table view = books { update configureCell }`.
  ///
  /// The table becomes the controller's delegate. The name may be defined again.
  func define(
    _ name: Name, of controller: Name, as syntax: TableSyntax
  ) throws(ScriptError) {
    try names.refuseEntity(name)
    let binding = try names.controller(controller)
    if let old = session.tables[name.text], old.isDelegate {
      delegates.set(.changes, of: old.controller)
    }
    delegates.warnOfDetachedTable(of: binding, controller.range)
    let table = TableBinding(
      name: name.text, of: binding, mode: FetchedResultsTable.Mode(syntax), emit: events.emit)
    table.followTurns { [weak session] in session?.turn ?? 0 }
    session.define(table)
    delegates.attach(
      .table(table.table.mode),
      TableRecorder(table.table, named: table.name, of: binding, emit: events.emit), to: binding)
  }

  /// `suspend view`.
  func suspend(_ name: Name) throws(ScriptError) { try names.table(name).table.suspend() }

  /// `resume view`: from the next turn on.
  func resume(_ name: Name) throws(ScriptError) {
    session.waitingTables.resume(try names.table(name))
  }

  /// `reload view`.
  func reload(_ name: Name) throws(ScriptError) { try names.table(name).table.reload() }

  /// `trace view on`.
  func trace(_ name: Name, isOn: Bool) throws(ScriptError) {
    try names.table(name).table.isTraced = isOn
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

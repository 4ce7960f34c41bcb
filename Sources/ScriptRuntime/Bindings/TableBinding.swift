import FetchedResults
package import TableViews

/// A table with its name in the session, and the controller that it shows.
package final class TableBinding {
  package let name: String
  package let controller: ControllerBinding
  package let table: FetchedResultsTable<CellContent>

  init(
    name: String, of controller: ControllerBinding,
    mode: FetchedResultsTable<CellContent>.Mode, emit: @escaping (Event) -> Void
  ) {
    self.name = name
    self.controller = controller
    // The closure does not capture the binding, which holds the table as its delegate.
    let shown = controller.shown
    table = FetchedResultsTable(
      of: controller.controller, mode: mode,
      content: { CellContent($0, shownAs: shown($0)) },
      hear: { TableBinding.tell($0, of: name, shown, emit) })
  }

  /// Whether the table receives its controller's changes.
  var isDelegate: Bool { (controller.recorder as? TableRecorder)?.table === table }

  /// Sets a function that returns the number of the current turn, so that marks are kept for one
  /// turn.
  func followTurns(_ turn: @escaping () -> Int) {
    var lastTurn: Int?
    table.beginsTurn = {
      let turn = turn()
      defer { lastTurn = turn }
      return lastTurn != turn
    }
  }

  private static func tell(
    _ event: FetchedResultsTable<CellContent>.Event, of name: String,
    _ shown: (ManagedObject) -> ShownObject, _ emit: (Event) -> Void
  ) {
    switch event {
    case .operation(let operation, let object):
      emit(.table(name, operation, object: object.map(shown)))
    case .asked(let call): emit(.dataSource(table: name, call))
    case .exception(let exception, during: let call):
      emit(.exception(table: name, exception))
      emit(.console(exception.consoleText(during: call)))
    }
  }
}

extension TableViewException {
  /// Returns what Core Data prints after it caught the exception.
  fileprivate func consoleText(during call: DelegateCall) -> String {
    "CoreData: error: Serious application error.  An exception was caught from the delegate of "
      + "NSFetchedResultsController during a call to -\(call.rawValue).  \(reason) with userInfo "
      + "(null)"
  }
}

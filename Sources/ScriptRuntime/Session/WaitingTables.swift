import FetchedResults
import TableViews

/// The tables that wait for the end of a turn: until their controller has fetched, or until they
/// follow changes again.
///
/// The end of a turn visits only these. Visiting all tables would take *n*² steps for *n*
/// statements about *n* tables.
final class WaitingTables {
  /// A table, with its number in the order of definition.
  private typealias Place = (number: Int, table: TableBinding)

  /// The tables whose controller has not fetched, by controller.
  private var unloaded: [ObjectIdentifier: [Place]] = [:]
  /// The tables that follow changes again after this turn.
  private var resuming: [TableBinding] = []
  private var count = 0

  /// Adds a new table.
  func add(_ table: TableBinding) {
    unloaded[ObjectIdentifier(table.controller), default: []].append((count, table))
    count += 1
  }

  /// Removes a table that lost its name.
  func remove(_ table: TableBinding) {
    let controller = ObjectIdentifier(table.controller)
    guard let places = unloaded[controller] else { return }
    let rest = places.filter { $0.table !== table }
    unloaded[controller] = rest.isEmpty ? nil : rest
  }

  /// Makes a table follow changes again when the turn has ended.
  func resume(_ table: TableBinding) {
    table.table.resume()
    resuming.append(table)
  }

  /// Shows the tables whose controllers have fetched, and resumes suspended ones.
  ///
  /// - Parameter isDefined: Returns whether a table still has its name in the session.
  /// - Complexity: O(*k*) in the controllers with tables that have not been shown.
  func endTurn(_ isDefined: (TableBinding) -> Bool) {
    for table in resuming where isDefined(table) { table.table.turnDidEnd() }
    resuming = []
    guard !unloaded.isEmpty else { return }
    var ready: [Place] = []
    for (controller, places) in unloaded {
      guard let first = places.first, first.table.controller.controller.sections != nil else {
        continue
      }
      unloaded[controller] = nil
      ready += places
    }
    for place in ready.sorted(by: { $0.number < $1.number }) where isDefined(place.table) {
      place.table.table.loadIfFetched()
    }
  }
}

import FetchedResults
import Foundation
import GRDB
import PredicateSyntax
import Synchronization

/// The SQL functions that compare strings like predicates and sorts in memory.
///
/// They have Core Data's names where Core Data is known to register the same function.
///
/// SQLite's own LIKE and NOCASE ignore case only for ASCII letters.
final class SQLStringFunctions: Sendable {
  private let state = Mutex(State())

  private struct State {
    var locale = "en"
    var tests: [TextSearch: TextTest] = [:]
    var orders: [String: StringOrder] = [:]
    var hasFailed = false
  }

  /// How many compiled patterns are kept at most.
  private static let mostTests = 100

  /// Prepares for a statement.
  ///
  /// - Parameter locale: The locale of the statement's comparisons.
  func begin(locale: String) {
    state.withLock { state in
      if state.locale != locale || state.tests.count > Self.mostTests {
        state = State(locale: locale)
      }
      state.hasFailed = false
    }
  }

  /// Whether matching a pattern has failed since the statement began.
  ///
  /// The statement's results are invalid then.
  var hasFailed: Bool { state.withLock(\.hasFailed) }

  /// Lets statements of a connection call the functions.
  func register(with database: Database) {
    for (name, operation) in [
      ("NSCoreDataLike", TextSearch.Operation.like), ("NSCoreDataMatches", .matches),
    ] {
      database.add(
        function: DatabaseFunction(name, argumentCount: 3, pure: true) { values in
          self.holds(operation, values)
        })
    }
    database.add(
      function: DatabaseFunction("NSCoreDataStringSearch", argumentCount: 4, pure: true) {
        self.holds(Self.operation(of: Int.fromDatabaseValue($0[2]) ?? 0), $0)
      })
    database.add(
      function: DatabaseFunction("NSCoreDataStringCompare", argumentCount: 3, pure: true) {
        values in
        guard let isEqual = self.holds(.relation(.equal), values) else { return nil }
        return isEqual ? 0 : self.holds(.relation(.less), values).map { $0 ? -1 : 1 }
      })
    database.add(
      function: DatabaseFunction("NSCoreDataSortKey", argumentCount: 2, pure: true) {
        self.sortKey($0)
      })
  }

  private func holds(_ operation: TextSearch.Operation, _ values: [DatabaseValue]) -> Bool? {
    guard let text = String.fromDatabaseValue(values[0]),
      let pattern = String.fromDatabaseValue(values[1]),
      let flags = Int.fromDatabaseValue(values[2])
    else { return nil }
    let search = TextSearch(operation, Self.options(of: flags), pattern: pattern)
    return state.withLock { state in
      let test = state.tests[search] ?? TextTest(search, locale: state.locale)
      state.tests[search] = test
      do {
        return try test.holds(text)
      } catch {
        state.hasFailed = true
        return nil
      }
    }
  }

  /// Returns bytes that sort in the same order as the strings do with a sort descriptor's selector.
  private func sortKey(_ values: [DatabaseValue]) -> Data? {
    guard let text = String.fromDatabaseValue(values[0]),
      let name = String.fromDatabaseValue(values[1]),
      let selector = FetchSortDescriptor.Selector(rawValue: name)
    else { return nil }
    return state.withLock { state in
      let order = state.orders[name] ?? StringOrder(selector, locale: state.locale)
      state.orders[name] = order
      return Data(order.key(for: text))
    }
  }
}

// MARK: - Options

/// Options are numbers like those of `NSString`'s comparisons, as Core Data writes them.
extension SQLStringFunctions {
  private static let caseInsensitive = 1
  private static let literal = 2
  private static let backwards = 4
  private static let anchored = 8
  private static let diacriticInsensitive = 128
  /// The localized option together with the option that compares the width of letters.
  private static let localized = 256 + 32

  /// Returns the SQL of a call.
  static func call(_ search: TextSearch, _ column: String, _ pattern: String) -> String {
    let flags = flags(of: search)
    let isLocalized = search.options.contains(.locale) ? 1 : 0
    return switch search.operation {
    case .contains, .beginsWith, .endsWith:
      "NSCoreDataStringSearch(\(column), \(pattern), \(flags), \(isLocalized))"
    case .like: "NSCoreDataLike(\(column), \(pattern), \(flags))"
    case .matches: "NSCoreDataMatches(\(column), \(pattern), \(flags))"
    case .relation:
      "NSCoreDataStringCompare(\(column), \(pattern), \(flags))"
    }
  }

  private static func flags(of search: TextSearch) -> Int {
    var flags = 0
    if search.options.contains(.caseInsensitive) { flags |= caseInsensitive }
    if search.options.contains(.diacriticInsensitive) { flags |= diacriticInsensitive }
    if search.options.contains(.normalized) { flags |= literal }
    if search.options.contains(.locale) { flags |= localized }
    if search.operation == .beginsWith { flags |= anchored }
    if search.operation == .endsWith { flags |= anchored | backwards }
    return flags
  }

  private static func options(of flags: Int) -> TextSearch.Options {
    var options: TextSearch.Options = []
    if flags & caseInsensitive != 0 { options.insert(.caseInsensitive) }
    if flags & diacriticInsensitive != 0 { options.insert(.diacriticInsensitive) }
    if flags & literal != 0 { options.insert(.normalized) }
    if flags & localized != 0 { options.insert(.locale) }
    return options
  }

  private static func operation(of flags: Int) -> TextSearch.Operation {
    if flags & anchored == 0 { return .contains }
    return flags & backwards == 0 ? .beginsWith : .endsWith
  }
}

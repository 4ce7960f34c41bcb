import PredicateSyntax

/// The values of a row, or of a group of rows.
package struct FoundGroup: Equatable {
  /// The lowest number of the rows; 0 if there are none.
  package let first: Int64
  package let keys: [PropertyValue]
  package let aggregates: [PropertyValue]

  package init(first: Int64, keys: [PropertyValue], aggregates: [PropertyValue]) {
    self.first = first
    self.keys = keys
    self.aggregates = aggregates
  }
}

/// Groups rows by their values, and computes functions of each group, row by row.
package struct GroupCollector {
  private let functions: [FetchedProperty.Function]
  private let isGrouped: Bool
  private var groups: [Group] = []
  private var places: [[PropertyValue]: Int] = [:]

  private struct Group {
    let first: Int64
    let keys: [PropertyValue]
    var totals: [Total]
  }

  /// - Parameter isGrouped: Whether rows with the same keys form one group.
  package init(_ functions: [FetchedProperty.Function], isGrouped: Bool) {
    self.functions = functions
    self.isGrouped = isGrouped
  }

  /// Adds a row; rows come in order of their numbers.
  ///
  /// - Throws: ``InvalidPredicateError`` if a value is not a number.
  package mutating func add(
    _ number: Int64, keys: [PropertyValue], values: [PropertyValue]
  ) throws(InvalidPredicateError) {
    let place: Int
    if isGrouped, let known = places[keys] {
      place = known
    } else {
      place = groups.count
      if isGrouped { places[keys] = place }
      groups.append(
        Group(first: number, keys: keys, totals: functions.map { _ in Total() }))
    }
    for (index, value) in values.enumerated() {
      try groups[place].totals[index].add(value, for: functions[index])
    }
  }

  /// Returns the groups in order of their first rows, without the last ones if the work is to stop.
  package func found() throws(InvalidPredicateError) -> [FoundGroup] {
    var found: [FoundGroup] = []
    var stop = StopCheck.Loop(over: groups.count)
    for group in groups {
      if stop.isWanted(after: 4) { break }
      var aggregates: [PropertyValue] = []
      for (function, total) in zip(functions, group.totals) {
        aggregates.append(try total.value(of: function))
      }
      found.append(FoundGroup(first: group.first, keys: group.keys, aggregates: aggregates))
    }
    return found
  }
}

/// The state of a function over the values of a group.
///
/// Nil values do not count.
private struct Total {
  private var count: Int64 = 0
  private var sum = PredicateArithmetic.Number.int(0)
  private var extreme = PropertyValue.null

  mutating func add(
    _ value: PropertyValue, for function: FetchedProperty.Function
  ) throws(InvalidPredicateError) {
    guard !value.isNull else { return }
    count += 1
    switch function {
    case .count: break
    case .sum, .average:
      let number = try PredicateStatistics.number(.value(value), function.rawValue)
      sum = try PredicateArithmetic.apply(.add, sum, number)
    case .min:
      if extreme.isNull || Self.ordering(value, extreme) == .ascending { extreme = value }
    case .max:
      if extreme.isNull || Self.ordering(value, extreme) == .descending { extreme = value }
    }
  }

  /// Compares two values; objects by their numbers, as a sort does.
  private static func ordering(_ left: PropertyValue, _ right: PropertyValue) -> ValueOrdering? {
    guard case .object(let first) = left, case .object(let second) = right else {
      return left.ordering(right)
    }
    return PropertyValue.int(first.number).ordering(.int(second.number))
  }

  func value(of function: FetchedProperty.Function) throws(InvalidPredicateError) -> PropertyValue {
    switch function {
    case .count: return .int(count)
    case .sum: return sum.value.scalar ?? .null
    case .min, .max: return extreme
    case .average:
      guard count > 0 else { return .null }
      if case .decimal = sum {
        return try PredicateArithmetic.apply(.divide, sum, .int(count)).value.scalar ?? .null
      }
      return .double(sum.double / Double(count))
    }
  }
}

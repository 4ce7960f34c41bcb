/// The functions of the format language.
///
/// A name is written with its colons: `multiply:by:(2, 3)`. If it has at most one, it may be
/// written without it: `sum(prices)`, `now()`.
package enum PredicateFunction {
  /// All names including colons, in the order of Apple's list.
  package static let names = [
    "average:", "sum:", "count:", "min:", "max:", "median:", "mode:", "stddev:", "add:to:",
    "from:subtract:", "multiply:by:", "divide:by:", "modulus:by:", "sqrt:", "log:", "ln:",
    "raise:toPower:", "exp:", "floor:", "ceiling:", "abs:", "trunc:", "random", "random:",
    "randomn:", "now", "uppercase:", "lowercase:", "bitwiseAnd:with:", "bitwiseOr:with:",
    "bitwiseXor:with:", "leftshift:by:", "rightshift:by:", "onesComplement:", "noindex:",
    "canonical:", "distanceToLocation:fromLocation:", "castObject:toType:",
    "objectFrom:withIndex:",
  ]

  static let known = Set(names)

  /// The functions over a list that may also be written as several arguments: `max(1, 5, 10)`.
  static let variadic: Set = [
    "average:", "sum:", "count:", "min:", "max:", "median:", "mode:", "stddev:",
  ]
}

public import Foundation

/// What an evaluation takes from its surroundings: the time and the locale.
public struct EvaluationEnvironment: Sendable {
  /// What `now()` says.
  public var now: @Sendable () -> Date
  /// The identifier of the locale of localized comparisons, such as `ja`.
  ///
  /// Where ICU does not know it, strings compare in the root locale's order; see
  /// `knowsLocale`.
  public var locale: String
  /// What `random()` says: a number from 0 up to, but not including, 1.
  public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
  /// Whether someone wants a fetch to stop, asked between two objects; nil if nobody can.
  public var isCancelled: (@Sendable () -> Bool)?

  /// Whether a store that filters by SQL takes nil as SQL does and Apple's store
  /// therefore too: `x != 1` finds no row where x is nil.
  public var isThreeValued = false

  /// Creates an environment; by default the system's clock and English.
  public init(now: @escaping @Sendable () -> Date = { Date() }, locale: String = "en") {
    self.now = now
    self.locale = locale
  }
}

public import Foundation

/// The surroundings of an evaluation: the time, the locale and similar settings.
public struct EvaluationEnvironment: Sendable {
  /// Returns the time for `now()`.
  public var now: @Sendable () -> Date
  /// The identifier of the locale for localized comparisons, such as `ja`.
  ///
  /// If ICU does not know it, strings compare in the order of the root locale; see `knowsLocale`.
  public var locale: String
  /// Returns the number for `random()`: from 0 up to, but not including, 1.
  public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
  /// Returns whether to cancel a fetch.
  ///
  /// It is called between objects; nil if a fetch cannot be cancelled.
  public var isCancelled: (@Sendable () -> Bool)?

  /// Whether a store that filters with SQL treats nil like SQL, and therefore like Apple's store.
  ///
  /// Then `x != 1` finds no row where x is nil.
  public var isThreeValued = false

  /// Creates an environment.
  ///
  /// By default it has the system's clock and English.
  public init(now: @escaping @Sendable () -> Date = { Date() }, locale: String = "en") {
    self.now = now
    self.locale = locale
  }
}

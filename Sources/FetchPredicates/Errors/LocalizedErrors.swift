public import Foundation

// What Foundation's `localizedDescription` of an error says.

extension FetchError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

extension InvalidPredicateError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

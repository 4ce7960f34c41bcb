public import Foundation

// What Foundation's `localizedDescription` of an error says.

extension FetchError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

extension StoreError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

extension InvalidPredicateError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

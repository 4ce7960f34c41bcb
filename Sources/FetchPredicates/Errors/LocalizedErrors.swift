public import Foundation

// Foundation's `localizedDescription` of an error returns these texts.

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

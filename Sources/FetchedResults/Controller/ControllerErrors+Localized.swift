public import Foundation

// What Foundation's `localizedDescription` of an error says.

extension FetchedResultsError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

extension SectionedDifference.MismatchError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

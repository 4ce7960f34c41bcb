public import Foundation

// What Foundation's `localizedDescription` of an error says.

extension FetchedResultsError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

extension SectionedDifference.MismatchError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

public import Foundation

// Foundation's `localizedDescription` of an error returns these texts.

extension ModelError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

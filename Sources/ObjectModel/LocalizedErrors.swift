public import Foundation

// What Foundation's `localizedDescription` of an error says.

extension ModelError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

public import Foundation

// What Foundation's `localizedDescription` of an error says.

extension ModelFileError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

extension XcodeModelError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

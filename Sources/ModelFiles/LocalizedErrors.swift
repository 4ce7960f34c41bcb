public import Foundation

// What Foundation's `localizedDescription` of an error says.

extension ModelFileError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

extension XcodeModelError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

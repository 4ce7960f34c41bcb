public import Foundation

// Foundation's `localizedDescription` of an error returns these texts.

extension ModelFileError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

extension XcodeModelError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

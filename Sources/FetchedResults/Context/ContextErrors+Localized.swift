public import Foundation

// What Foundation's `localizedDescription` of an error says.

extension ObjectError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

extension BatchRequestError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

extension MergeConflictError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

extension EndlessSaveError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

extension NestedSaveError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

extension ObjectValidationError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

extension SaveError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}

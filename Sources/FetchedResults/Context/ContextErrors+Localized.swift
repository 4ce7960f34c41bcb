public import Foundation

// What Foundation's `localizedDescription` of an error says.

extension ObjectError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

extension BatchRequestError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

extension MergeConflictError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

extension EndlessSaveError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

extension NestedSaveError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

extension ObjectValidationError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

extension SaveError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

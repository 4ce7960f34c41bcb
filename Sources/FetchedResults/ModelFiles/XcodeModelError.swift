public import Foundation

/// The reason why an Xcode model cannot be read.
public enum XcodeModelError: Error, Hashable, Sendable {
  /// A file cannot be read, for a reason described in words.
  case unreadable(path: String, reason: String)
  /// There is no version with this name.
  case unknownVersion(String, path: String, versions: [String])
  /// The model has several versions and does not name the current one.
  case noCurrentVersion(path: String, versions: [String])
  /// The file is not a model that can be used.
  case invalid(path: String, ModelFileError)
}

extension XcodeModelError: CustomStringConvertible {
  /// A description of the error.
  public var description: String {
    switch self {
    case .unreadable(let path, let reason): "cannot read the model '\(path)': \(reason)"
    case .unknownVersion(let name, let path, let versions):
      "the model '\(path)' has no version '\(name)'; "
        + (versions.isEmpty ? "it has none" : "it has " + versions.joined(separator: ", "))
    case .noCurrentVersion(let path, let versions):
      "the model '\(path)' has no current version; name one of " + versions.joined(separator: ", ")
    case .invalid(let path, let error): "cannot read the model '\(path)': \(error)"
    }
  }
}

extension XcodeModelError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}

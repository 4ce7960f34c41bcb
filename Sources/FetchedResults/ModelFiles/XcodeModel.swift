public import Foundation

/// A data model as Xcode saves it: an `.xcdatamodeld` with its versions, or an `.xcdatamodel`.
///
/// ```swift
/// let xcode = try XcodeModel(contentsOf: url)
/// let container = PersistentContainer(managedObjectModel: xcode.managedObjectModel)
/// for note in xcode.notes { print(note) }
/// ```
///
/// Compiled models (`.momd` and `.mom`) have an archive format of Apple's, and are refused.
public struct XcodeModel: Sendable {
  /// The model of the entities.
  public let managedObjectModel: ManagedObjectModel
  /// The fetch requests in the model, by their names in Xcode.
  public let fetchRequestTemplatesByName: [String: FetchRequest]
  /// A description of what is in the file but not in the model, with one line for each kind.
  public let notes: [String]
  /// The name of the version that was read; nil if the model has no versions.
  public let version: String?

  /// Reads a model.
  ///
  /// - Parameters:
  ///   - url: The `.xcdatamodeld` or `.xcdatamodel`, a folder in both cases, or its `contents`.
  ///   - version: The name of a version, such as `Library 2`; nil for the current one.
  /// - Throws: ``XcodeModelError``.
  /// - Complexity: O(*n*) in the size of the file.
  public init(contentsOf url: URL, version: String? = nil) throws(XcodeModelError) {
    var folder = url
    var found: String?
    let versions = ModelFolder.versions(in: url)
    if version != nil || !versions.isEmpty {
      let name = try ModelFolder.version(version, of: versions, in: url)
      folder = url.appendingPathComponent(name + ModelFolder.versionSuffix)
      found = name
    }
    try self.init(contents: try ModelFolder.contents(of: folder), path: url.path, version: found)
  }

  /// Reads a model that is already in memory.
  ///
  /// - Parameter contents: The bytes of the file `contents` in an `.xcdatamodel`.
  /// - Throws: ``XcodeModelError``.
  public init(contents: Data) throws(XcodeModelError) {
    try self.init(contents: Array(contents), path: "contents", version: nil)
  }

  private init(contents: [UInt8], path: String, version: String?) throws(XcodeModelError) {
    do throws(ModelFileError) {
      let file = try ModelFile(contents: contents)
      do throws(ModelError) {
        managedObjectModel = try ManagedObjectModel(entities: file.entities)
      } catch {
        throw ModelFileError.model(error)
      }
      fetchRequestTemplatesByName = file.requests
      notes = file.notes
      self.version = version
    } catch {
      throw .invalid(path: path, error)
    }
  }
}

extension ManagedObjectModel {
  /// Reads the current version of an Xcode model.
  ///
  /// To read another version, or to see which parts are not supported, use ``XcodeModel``.
  ///
  /// - Parameter url: The `.xcdatamodeld` or `.xcdatamodel`.
  /// - Throws: ``XcodeModelError``.
  public init(contentsOf url: URL) throws(XcodeModelError) {
    self = try XcodeModel(contentsOf: url).managedObjectModel
  }
}

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

/// Why a file with a section cache's name cannot be used.
package enum UnusableSectionCache: Error, Hashable, Sendable {
  /// The file is not a section cache.
  case foreign
  /// The file is a cache of another version of this program.
  case otherVersion(Int)
  /// The file is too short or too long.
  case wrongLength
  /// The bytes differ from those that were written.
  case damaged
  /// The file has another name than it was written under.
  case otherName(String)
  case unreadable
}

extension UnusableSectionCache: CustomStringConvertible {
  /// A description of the error.
  package var description: String {
    switch self {
    case .foreign: "its file is not a section cache"
    case .otherVersion(let version): "its file is of version \(version)"
    case .wrongLength: "its file is cut off or too long"
    case .damaged: "its file is damaged"
    case .otherName(let name): "its file is the cache '\(name)'"
    case .unreadable: "its file cannot be read"
    }
  }
}

extension SectionCache.Staleness: CustomStringConvertible {
  /// A description of the reason.
  package var description: String {
    switch self {
    case .unsavedChanges: "it was made with unsaved changes"
    case .otherStore: "it belongs to another store"
    case .storeChanged: "the store was saved since"
    case .modelChanged: "the model has changed"
    case .otherRequest: "it was made with another limit, offset or locale"
    case .unrepeatable: "it depends on now(), random() or values that are not stored"
    }
  }
}

/// A section cache's file that cannot be written or removed.
public struct SectionCacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the cache.
  public let name: String
  /// What failed, and why, as text.
  public let reason: String

  /// A description of the error.
  public var description: String { "the section cache '\(name)' \(reason)" }
}

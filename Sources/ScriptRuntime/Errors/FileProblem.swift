import FetchedResults
package import ScriptSyntax

/// The reason why a file, a model or a store cannot be used.
package enum FileProblem: Hashable, Sendable {
  /// A store is already open, so another store or more entities are refused.
  case storeIsOpen(String)
  /// The command names the store, so the script may not name another one.
  case onlyStore(String)
  /// The store is in memory, so there is no other process.
  case memoryIsOneProcess
  /// The store is read-only, also for another process.
  case readOnlyForAll(String)
  /// There are objects already, which another store would not have.
  case objectsInMemory
  case unreadable(path: String, reason: String)
  case unreadableModel(path: String, reason: String)
  case unknownVersion(String, versions: [String])
  case noCurrentVersion(path: String, versions: [String])
  case include(path: String, reason: String)
  case includesItself(path: String)
  case includeTooDeep
  case includeHasErrors(path: String, Diagnostic)
  /// An included file has errors, and nothing of it may be quoted.
  case includeIsNoScript(path: String)

  /// A description of the error.
  var words: String {
    switch self {
    case .storeIsOpen(let name):
      "the store '\(name)' is open; stores and entities come before the first statement that "
        + "needs them"
    case .onlyStore(let name):
      "the script is run on the store '\(name)'; remove this statement"
    case .memoryIsOneProcess:
      "a store in memory belongs to one process; begin with 'store sqlite \"shared.sqlite\" history'"
    case .readOnlyForAll(let name):
      "the store '\(name)' is readonly, so no process changes it"
    case .objectsInMemory:
      "there are objects in memory already; name the store before the first of them"
    case .unreadable(let path, let reason): "cannot read '\(path)': \(reason)"
    case .unreadableModel(let path, let reason): "cannot read the model '\(path)': \(reason)"
    case .unknownVersion(let name, let versions):
      "the model has no version '\(name)'; it has "
        + versions.map { "'\($0)'" }.joined(separator: ", ")
    case .noCurrentVersion(let path, let versions):
      "'\(path)' does not say which version is current; say version "
        + versions.map(\.quoted).joined(separator: " or ")
    case .include(let path, let reason): "cannot include '\(path)': \(reason)"
    case .includesItself(let path): "'\(path)' includes itself"
    case .includeTooDeep: "includes nest deeper than 64 files"
    case .includeHasErrors(let path, let first): "'\(path)' has errors: \(first.message)"
    case .includeIsNoScript(let path):
      "'\(path)' has errors; it is outside of the folder that is read without a flag, so it is "
        + "not quoted"
    }
  }
}

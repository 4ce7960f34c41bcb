import Platform

/// The files that a run may read and write.
///
/// This is only the rule: it accesses no file, and takes real paths, without links.
struct Permissions: Hashable, Sendable {
  enum Access: Hashable, Sendable {
    case reading
    case writing

    /// The option that allows it.
    var option: String {
      switch self {
      case .reading: "--allow-read"
      case .writing: "--allow-write"
      }
    }
  }

  /// The folders in which everything is allowed.
  var roots: [String]
  /// Other files and folders that may be read.
  var reads: [String] = []
  /// Other files and folders that may be written.
  var writes: [String] = []

  /// Folders of the system, which are allowed only if they are a root themselves.
  ///
  /// They contain data that is not a user's file, such as the environment of a process.
  private static let systemFolders = ["/dev", "/proc", "/sys"]

  /// The folder of a repository's settings, which may contain a server's password.
  private static let repositoryFolder = ".git"

  /// The reason why a file must not be used.
  struct Refusal: Error, Hashable, Sendable {
    enum Rule: Hashable, Sendable {
      case outside(roots: [String])
      case repository
    }

    let access: Access
    /// The real path.
    let path: String
    let rule: Rule

    /// The reason, as the continuation of a message.
    var words: String {
      let reason =
        switch (rule, access) {
        case (.outside(let roots), .reading):
          "outside of \(Self.list(roots)), below which scripts may read"
        case (.outside(let roots), .writing):
          "outside of \(Self.list(roots)), below which files may be written"
        case (.repository, _): "in the folder '.git' of a repository"
        }
      return "'\(path)' is \(reason); \(access.option) '\(path)' allows it"
    }

    private static func list(_ roots: [String]) -> String {
      roots.map { "'\($0)'" }.joined(separator: " and ")
    }
  }

  /// Returns why a file must not be read or written; nil if it may.
  ///
  /// - Parameter path: The real path of a file or folder.
  func refusal(_ access: Access, of path: String) -> Refusal? {
    let named = access == .reading ? reads : writes
    if named.contains(where: { RealPath.isBelow($0, path) }) { return nil }
    guard let root = roots.first(where: { Self.isPart(path, of: $0) }) else {
      return Refusal(access: access, path: path, rule: .outside(roots: roots))
    }
    let inner = path.utf8.dropFirst(root.utf8.count).split(separator: UInt8(ascii: "/"))
    let isRepositorys = inner.contains {
      // Some file systems ignore case.
      String(Substring($0)).lowercased() == Self.repositoryFolder
    }
    return isRepositorys ? Refusal(access: access, path: path, rule: .repository) : nil
  }

  /// Whether messages may quote a file.
  func allowsQuoting(_ path: String) -> Bool { roots.contains { Self.isPart(path, of: $0) } }

  private static func isPart(_ path: String, of root: String) -> Bool {
    RealPath.isBelow(root, path)
      && !systemFolders.contains {
        RealPath.isBelow($0, path) && !RealPath.isBelow($0, root)
      }
  }
}

import Platform

/// Which files a run may read and write.
///
/// The rule alone: it looks at no file, and takes real paths, without links.
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

  /// The folders below which everything is allowed.
  var roots: [String]
  /// Files and folders besides, which someone allowed to read.
  var reads: [String] = []
  /// Files and folders besides, which someone allowed to write.
  var writes: [String] = []

  /// Folders of the system, which are below no root but one of their own.
  ///
  /// What they show, such as the variables of a process, is not a file of anybody.
  private static let systemFolders = ["/dev", "/proc", "/sys"]

  /// A repository keeps its settings here, which may hold a server's password.
  private static let repositoryFolder = ".git"

  /// Why a file must not be used.
  struct Refusal: Error, Hashable, Sendable {
    enum Rule: Hashable, Sendable {
      case outside(roots: [String])
      case repository
    }

    let access: Access
    /// The real path.
    let path: String
    let rule: Rule

    /// The refusal in words, as a message continues with them.
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
      // Some file systems take capitals for the same letters.
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

import Platform

/// A database's file and those that SQLite keeps beside it, which are read and never changed.
///
/// A link in the path of the database is followed once, as SQLite follows it: its log is beside the
/// file, and not beside the link. A link in place of a file beside it is refused, because it could
/// lead to any file.
struct DatabaseFiles: Sendable {
  /// One of the files.
  enum Part: String, CaseIterable {
    case database = ""
    case log = "-wal"
    case journal = "-journal"
  }

  private let folder: String
  private let name: String

  /// - Throws: `UnusableFile.noFile` if there is no database.
  init(_ path: String) throws(UnusableFile) {
    guard let real = RealPath.of(path) else { throw .noFile }
    folder = RealPath.folder(of: real)
    name = String(real.dropFirst(folder == "/" ? 1 : folder.count + 1))
  }

  /// Opens one of the files.
  ///
  /// - Returns: Nil if there is no such file.
  /// - Throws: ``UnusableFile`` if it is not a regular file or cannot be read.
  func open(_ part: Part) throws(UnusableFile) -> OpenFile? {
    do throws(SystemError) {
      let file = try OpenFolder(folder).open(name + part.rawValue)
      switch try file.status().kind {
      case .regular: return file
      case .folder: throw .folder
      case .special: throw .invalid
      }
    } catch {
      switch (error, part) {
      case (.missing, _): return nil
      case (.tooManyFiles, _): throw .tooManyFiles
      case (.folder, .database): throw .folder
      // The database has become a link or another file since its real path was found.
      case (.link, .database), (.invalid, .database): throw .notRegular
      case (.link, _): throw .linkBeside(part.rawValue)
      case (.folder, _), (.invalid, _): throw .notRegularBeside(part.rawValue)
      case (_, .database): throw .unreadable
      case (_, .log), (_, .journal): throw .unreadableBeside(part.rawValue)
      }
    }
  }
}

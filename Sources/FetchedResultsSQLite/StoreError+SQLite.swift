import FetchedResults
import GRDB
import Platform

extension StoreError {
  /// Describes an error of a file or of SQLite.
  init(_ error: any Error, store: String) {
    self =
      switch error {
      case let error as StoreError: error
      case let error as MigrationError: .migration(store: store, error)
      case let error as UnusableFile: .unusable(store: store, reason: error.words)
      case let error as LayoutMisfit:
        .unusable(store: store, reason: "it does not fit the model: \(error.words)")
      case let error as UnreadableRow: .unusable(store: store, reason: error.words)
      case let error as DatabaseError where error.resultCode == .SQLITE_BUSY: .busy(store: store)
      case let error as DatabaseError: .unusable(store: store, reason: error.words)
      case let error as SystemError: .unusable(store: store, reason: error.words)
      default: .unusable(store: store, reason: "\(error)")
      }
  }
}

extension UnreadableRow {
  fileprivate var words: String {
    let place = "\(column) of row \(number) of \(table)"
    return switch problem {
    case .otherType: "\(place) has no value of its type"
    case .outOfRange: "\(place) is out of range"
    case .brokenText: "\(place) is not written in UTF-8"
    case .external(let problem): "\(place) \(problem.words)"
    case .foreignEntity(let entity):
      "row \(number) of \(table) is of entity number \(entity), which the model does not have"
    }
  }
}

extension UnusableFile {
  fileprivate var words: String {
    switch self {
    case .noFile: "there is no such file to read"
    case .folder: "it is a folder"
    case .unreadable: "it cannot be read"
    case .unwritable: "the file cannot be written; 'readonly' opens it for reading"
    case .noFolder: "there is no folder to make it in"
    case .unwritableFolder:
      "the folder cannot be written, where SQLite keeps its log; 'readonly' opens a store there"
    case .busy: "other processes write to it all the time; try again"
    case .removed: "the file was removed or renamed while it was open; nothing was saved"
    case .replaced:
      "another file took its place while it was open; nothing was saved"
    case .notRegular: "it is not a regular file"
    case .linkBeside(let ending):
      "the file with the ending \(ending) beside it is a link; it must be a regular file"
    case .notRegularBeside(let ending):
      "the file with the ending \(ending) beside it is not a regular file"
    case .unreadableBeside(let ending):
      "the file with the ending \(ending) beside it cannot be read"
    case .tooManyFiles: SystemError.tooManyFiles.words
    case .noTemporaryFolder(let error): TemporaryFolder.words(of: error)
    case .damaged(let finding): "the file is damaged (\(finding))"
    case .noStore: "it is a SQLite database, but no Core Data store"
    case .history:
      "its tables ATRANSACTION, ACHANGE and ATRANSACTIONSTRING are not those of a history"
    case .sameTable(let table, let entity, let other):
      "\(other) and \(entity) would have the same table \(table); rename the entity \(entity)"
    case .newerLayout(let version):
      "its layout is version \(version), and only version \(SQLiteStore.layoutVersion) is known"
    }
  }
}

extension LayoutMisfit {
  /// A description of what does not fit.
  var words: String {
    switch self {
    case .noEntity(let name): "the file has no entity '\(name)'"
    case .noTable(let name): "the file has no table \(name)"
    case .noColumn(let name, let table): "\(table) has no column \(name)"
    case .noKey(let table): "Z_PK is not the primary key of \(table)"
    case .otherType(let name, let table, let expected, let found):
      "\(table).\(name) is \(found), where the model needs \(expected)"
    }
  }
}

extension DatabaseError {
  fileprivate var words: String {
    if let message, message.hasPrefix("no such function") {
      return "a trigger of the table calls what only Core Data has (\(message))"
    }
    switch resultCode {
    case .SQLITE_FULL: return "the disk is full; nothing was saved"
    case .SQLITE_IOERR:
      return "reading or writing the file failed (\(message ?? "an error of the disk")); "
        + "what was saved before is kept"
    case .SQLITE_READONLY: return "the file cannot be written; nothing was saved"
    case .SQLITE_CANTOPEN: return "it cannot be opened, or made there"
    case .SQLITE_INTERRUPT: return "the statement was stopped; nothing was saved"
    case .SQLITE_NOTADB: return "it is not an SQLite database"
    case .SQLITE_CORRUPT: return "the file is damaged" + (message.map { " (\($0))" } ?? "")
    default: return message ?? "SQLite says \(resultCode)"
    }
  }
}

import Foundation
import Platform

/// Binary data that Core Data may keep in files beside the store.
///
/// The first byte of such a column tells where the data is. After a 1, the data itself follows.
/// After a 2, the name of a file follows: a UUID that ends with a NUL. The file is in the folder
/// `.NAME_SUPPORT/_EXTERNAL_DATA` beside the store `NAME`.
struct ExternalData: Sendable {
  private static let (inside, outside): (UInt8, UInt8) = (1, 2)
  /// The largest file that is read, in bytes.
  private static let mostBytes = 256 << 20

  /// The folder that contains the store's file.
  private let folder: URL
  /// The folder of the external files, as the names on the way from the store's folder.
  private let supportPath: [String]

  /// - Parameter path: The store's file.
  init(besides path: String) {
    let store = URL(fileURLWithPath: path)
    folder = store.deletingLastPathComponent()
    let name = store.deletingPathExtension().lastPathComponent
    supportPath = [".\(name)_SUPPORT", "_EXTERNAL_DATA"]
  }

  /// Returns the bytes that a column holds for data that is in the row itself.
  static func stored(_ data: Data) -> Data { [inside] + data }

  /// Reads the data of a column.
  func data(_ column: UnsafeRawBufferPointer) throws(ExternalDataError) -> Data {
    switch column.first {
    case Self.inside: return Data(column.dropFirst())
    case Self.outside: return try contents(ofFileNamed: Self.fileName(column.dropFirst()))
    case let marker: throw .unknownMarker(marker)
    }
  }

  /// Reads the data of a column.
  func data(_ column: Data) throws(ExternalDataError) -> Data {
    // A rethrowing closure loses the error's type.
    let result = column.withUnsafeBytes { bytes in
      Result { () throws(ExternalDataError) in try data(bytes) }
    }
    return try result.get()
  }

  /// Whether a column names a file.
  static func isOutside(_ column: UnsafeRawBufferPointer) -> Bool { column.first == outside }

  private static func fileName(
    _ bytes: Slice<UnsafeRawBufferPointer>
  ) throws(ExternalDataError) -> String {
    let name = String(decoding: bytes.dropLast(), as: UTF8.self)
    // The name must be a UUID, because another text could lead to another folder.
    guard bytes.last == 0, name.utf8.count == 36, UUID(uuidString: name) != nil else {
      throw .badName
    }
    return name
  }

  /// Removes a file to which no column refers, if it is where Core Data keeps such files.
  ///
  /// A folder, a link, and what a link leads to are never removed.
  func removeFile(named name: String) {
    guard name.utf8.count == 36, UUID(uuidString: name) != nil else { return }
    do throws(SystemError) {
      let support = try OpenFolder(supportPath, below: folder.path)
      try support.removeFile(name)
    } catch {
      // The file is of no use to anyone, and its store is migrated already.
    }
  }

  /// Copies the files to those of another store.
  func copyFiles(to other: ExternalData) throws(SystemError) {
    // Most stores have none.
    guard let support = try? OpenFolder(supportPath, below: folder.path) else { return }
    try NewFolder.makeWithParents(
      ([other.folder.path] + other.supportPath).joined(separator: "/"))
    let copies = try OpenFolder(other.supportPath, below: other.folder.path)
    for name in try support.names().compactMap(\.text) {
      // A link or a pipe is never read, so its place stays empty.
      guard let file = try? support.open(name), try file.status().kind == .regular else { continue }
      try DatabaseCopy.contents(of: file.descriptor, to: copies, name)
    }
  }

  private func contents(ofFileNamed name: String) throws(ExternalDataError) -> Data {
    let path = (supportPath + [name]).joined(separator: "/")
    do {
      // A symbolic link could lead to any file of the machine.
      let support = try OpenFolder(supportPath, below: folder.path)
      let file = try support.open(name)
      let status = try file.status()
      guard status.kind == .regular else { throw ExternalDataError.notRegular(path) }
      guard status.size <= Self.mostBytes else { throw ExternalDataError.tooLarge(path) }
      var data = Data(capacity: status.size)
      while data.count <= Self.mostBytes {
        let piece = try file.descriptor.read(upTo: 1 << 20)
        if piece.isEmpty { return data }
        data += piece
      }
      throw ExternalDataError.tooLarge(path)
    } catch let problem as ExternalDataError {
      throw problem
    } catch {
      switch error as? SystemError {
      case .missing: throw .missing(path)
      case .link: throw .linked(path)
      default: throw .unreadable(path)
      }
    }
  }
}

/// Why the data of a column cannot be read.
enum ExternalDataError: Error, Hashable {
  /// The column begins with a byte that Core Data does not write; nil if the column is empty.
  case unknownMarker(UInt8?)
  case badName
  case missing(String)
  case linked(String)
  case notRegular(String)
  case tooLarge(String)
  case unreadable(String)

  var words: String {
    switch self {
    case .unknownMarker(nil): "is empty, where Core Data begins external data with 01 or 02"
    case .unknownMarker(let marker?):
      "begins with \(String(marker, radix: 16, uppercase: true).leftPadded), where Core Data begins "
        + "external data with 01 or 02"
    case .badName: "names an external file by something else than a UUID"
    case .missing(let path): "names the file '\(path)', which is missing"
    case .linked(let path): "names the file '\(path)', which is reached through a link"
    case .notRegular(let path): "names the file '\(path)', which is not a regular file"
    case .tooLarge(let path): "names the file '\(path)', which is too large"
    case .unreadable(let path): "names the file '\(path)', which cannot be read"
    }
  }
}

extension String {
  /// The number with a leading zero if it has one digit.
  fileprivate var leftPadded: String { count < 2 ? "0" + self : self }
}

import CLibrary

/// The names in a folder, also those that are not text.
package enum FolderNames {
  /// A name in a folder.
  package struct Name: Hashable, Sendable {
    package let bytes: [UInt8]
    /// Whether it may be the name of a folder, or of a link to one.
    package let mayBeFolder: Bool

    package init(bytes: [UInt8], mayBeFolder: Bool = true) {
      self.bytes = bytes
      self.mayBeFolder = mayBeFolder
    }

    /// The name as text; nil if it is not UTF-8, so that a path of text cannot name the file.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The name for messages: bytes that are not UTF-8 as codes, such as `a\xff.frc`.
    package var shown: String {
      var result = ""
      var rest = bytes[...]
      while let first = rest.first {
        // A character has at most four bytes.
        let character = (1...4).lazy.compactMap { count in
          rest.count < count ? nil : String(validating: rest.prefix(count), as: UTF8.self)
        }.first
        if let character {
          result += character
          rest = rest.dropFirst(character.utf8.count)
        } else {
          result += #"\x"# + (first < 16 ? "0" : "") + String(first, radix: 16)
          rest = rest.dropFirst()
        }
      }
      return result
    }
  }

  /// Returns the names in a folder, sorted by their bytes, without `.` and `..`.
  ///
  /// - Throws: The system's error if the folder cannot be read.
  package static func names(in folder: String) throws(SystemError) -> [Name] {
    guard let opened = opendir(folder) else { throw .last }
    defer { closedir(opened) }
    return try names(in: opened)
  }

  /// Returns the names in an open folder, like ``names(in:)-(String)``.
  static func names(in folder: FileDescriptor) throws(SystemError) -> [Name] {
    // Reading the names closes the descriptor and moves its place, so it gets one of its own.
    let number = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw .last }
    guard let opened = fdopendir(number) else {
      let error = SystemError.last
      close(number)
      throw error
    }
    defer { closedir(opened) }
    return try names(in: opened)
  }

  private static func names(in opened: FolderStream) throws(SystemError) -> [Name] {
    var names: [Name] = []
    while true {
      errno = 0
      guard let entry = readdir(opened) else { break }
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if bytes == Array(".".utf8) || bytes == Array("..".utf8) { continue }
      // Not every file system names the kind.
      let kind = Int32(entry.pointee.d_type)
      let mayBeFolder = [DT_DIR, DT_LNK, DT_UNKNOWN].contains { Int32($0) == kind }
      names.append(Name(bytes: bytes, mayBeFolder: mayBeFolder))
    }
    let error = SystemError.last
    guard error.code == 0 else { throw error }
    return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}

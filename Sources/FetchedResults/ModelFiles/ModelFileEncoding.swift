/// Converts model files from their encoding.
enum ModelFileEncoding {
  /// Returns a file's text in UTF-8, without its XML declaration.
  ///
  /// The line ends in a declaration stay, so that line numbers do not change.
  ///
  /// - Throws: ``ModelFileError`` if the text is not in its declared encoding, or if that encoding
  ///   is unknown.
  static func utf8(_ contents: [UInt8]) throws(ModelFileError) -> [UInt8] {
    if contents.starts(with: [0xFE, 0xFF]) || contents.starts(with: [0xFF, 0xFE]) {
      return withoutDeclaration(try utf16(contents), declaration(of: try utf16(contents)))
    }
    let bytes = contents.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(contents.dropFirst(3)) : contents
    let declaration = declaration(of: bytes)
    switch declaration?.encoding?.lowercased() {
    case nil, "utf-8", "utf8", "us-ascii", "ascii":
      if let line = lineOfError(in: bytes) { throw .notUTF8(line: line) }
      return withoutDeclaration(bytes, declaration)
    case "iso-8859-1", "latin1":
      let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
      return withoutDeclaration(Array(text.utf8), declaration)
    case .some:
      throw .unknownEncoding(declaration?.encoding ?? "")
    }
  }

  private struct Declaration {
    /// The length of the declaration in bytes.
    let length: Int
    let encoding: String?
  }

  /// Reads the encoding from `<?xml version="1.0" encoding="UTF-8"?>`.
  ///
  /// Other parts are ignored.
  private static func declaration(of bytes: [UInt8]) -> Declaration? {
    let start = Array("<?xml".utf8)
    guard bytes.starts(with: start), bytes.count > start.count,
      [0x20, 0x09, 0x0A, 0x0D].contains(bytes[start.count]),
      let end = bytes.prefix(1024).indices.first(where: {
        bytes[$0] == UInt8(ascii: "?") && $0 + 1 < bytes.count && bytes[$0 + 1] == UInt8(ascii: ">")
      })
    else { return nil }
    let text = String(decoding: bytes[start.count..<end], as: UTF8.self)
    let encoding = text.firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/).map { String($0.1) }
    return Declaration(length: end + 2, encoding: encoding)
  }

  private static func withoutDeclaration(
    _ bytes: [UInt8], _ declaration: Declaration?
  ) -> [UInt8] {
    guard let declaration else { return bytes }
    return bytes.prefix(declaration.length).filter { $0 == 0x0A }
      + bytes.dropFirst(declaration.length)
  }

  /// Converts UTF-16 text, which begins with a byte order mark.
  private static func utf16(_ bytes: [UInt8]) throws(ModelFileError) -> [UInt8] {
    let isBig = bytes[0] == 0xFE
    let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBig ? first << 8 | second : second << 8 | first
    }
    guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self)
    else { throw .unknownEncoding("UTF-16") }
    return Array(text.utf8)
  }

  /// Returns the line of the first byte that is not UTF-8; nil if there is none.
  private static func lineOfError(in bytes: [UInt8]) -> Int? {
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var line = 1
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let scalar): if scalar.first == 0x0A { line += 1 }
      case .error: return line
      case .emptyInput: return nil
      }
    }
  }
}

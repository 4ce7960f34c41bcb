/// Reads the XML of a model file, byte by byte, into elements.
///
/// The project has its own reader, because Foundation's crashes on some damaged files and expands
/// declared entities without a limit. A model needs little: elements, attributes, text, comments,
/// and a document type without declarations. Everything else is refused. Reading takes time linear
/// in the file's size, and no file can make it trap.
struct ModelFileReader {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  /// The position up to which line ends are counted in `line`.
  private var counted = 0

  /// Deeper than in any real model.
  private static let deepestNesting = 64
  /// More than in any real model.
  ///
  /// An element of four bytes takes some hundred bytes in memory.
  private static let mostElements = 2_000_000

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the outermost element of an XML file.
  static func read(_ contents: [UInt8]) throws(ModelFileError) -> ModelElement {
    if contents.starts(with: "bplist".utf8) { throw .binaryModel }
    var reader = ModelFileReader(try ModelFileEncoding.utf8(contents))
    return try reader.document()
  }

  /// Returns the strings of a property list's outermost dictionary.
  static func propertyList(_ contents: [UInt8]) throws(ModelFileError) -> [String: String] {
    let words = try read(contents).children(named: "dict").flatMap(\.children)
    var result: [String: String] = [:]
    for (key, value) in zip(words, words.dropFirst())
    where key.name == "key" && value.name == "string" {
      result[key.text] = value.text
    }
    return result
  }
}

// MARK: - The document

extension ModelFileReader {
  private mutating func document() throws(ModelFileError) -> ModelElement {
    var open: [ModelElement] = []
    var root: ModelElement?
    var count = 0
    func close(_ element: ModelElement) {
      if open.isEmpty {
        root = element
      } else {
        open[open.count - 1].children.append(element)
      }
    }
    while position < bytes.count {
      if open.isEmpty, skipSpaces() {
        continue
      } else if bytes[position] != UInt8(ascii: "<") {
        guard !open.isEmpty else { throw malformed }
        open[open.count - 1].text += try text(until: UInt8(ascii: "<"), isValue: false)
      } else if take("<!--") {
        try skip(to: "-->")
      } else if take("<![CDATA[") {
        let start = position
        try skip(to: "]]>")
        guard !open.isEmpty else { throw malformed }
        open[open.count - 1].text += String(decoding: bytes[start..<position - 3], as: UTF8.self)
      } else if take("<!DOCTYPE") {
        guard root == nil, open.isEmpty else { throw malformed }
        try skipDocumentType()
      } else if isAt("<?") {
        throw .processingInstruction(line: currentLine)
      } else if take("</") {
        guard let element = open.popLast(), try name() == element.name else { throw malformed }
        skipSpaces()
        guard take(">") else { throw malformed }
        close(element)
      } else {
        guard root == nil, take("<") else { throw malformed }
        count += 1
        if count > Self.mostElements { throw .tooLarge }
        if open.count >= Self.deepestNesting { throw .tooDeep(line: currentLine) }
        let (element, isEmpty) = try startTag()
        if isEmpty {
          close(element)
        } else {
          open.append(element)
        }
      }
    }
    guard let root, open.isEmpty else { throw malformed }
    return root
  }

  /// Reads a start tag, after its `<`.
  private mutating func startTag() throws(ModelFileError) -> (ModelElement, isEmpty: Bool) {
    let line = currentLine
    let name = try name()
    var attributes: [String: String] = [:]
    while true {
      let hasSpace = skipSpaces()
      if take(">") || isAt("/>") {
        let isEmpty = take("/>")
        return (ModelElement(name: name, attributes: attributes, line: line), isEmpty)
      }
      guard hasSpace else { throw malformed }
      let attribute = try self.name()
      skipSpaces()
      guard take("=") else { throw malformed }
      skipSpaces()
      guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
        throw malformed
      }
      position += 1
      let value = try text(until: quote, isValue: true)
      guard current == quote, attributes.updateValue(value, forKey: attribute) == nil else {
        throw malformed
      }
      position += 1
    }
  }

  /// Skips a document type, after its first word.
  ///
  /// If it names a file, that file is not read. If it contains declarations, it is refused, because
  /// their expansion could grow without a limit.
  private mutating func skipDocumentType() throws(ModelFileError) {
    var quote: UInt8?
    while let byte = current {
      position += 1
      if byte == quote {
        quote = nil
      } else if quote != nil {
        continue
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "[") {
        throw .declarations(line: currentLine)
      } else if byte == UInt8(ascii: ">") {
        return
      }
    }
    throw malformed
  }
}

// MARK: - Text

extension ModelFileReader {
  /// Reads text up to a byte or the end of the file, and replaces its references.
  private mutating func text(
    until end: UInt8, isValue: Bool
  ) throws(ModelFileError) -> String {
    var text: [UInt8] = []
    while let byte = current, byte != end {
      position += 1
      switch byte {
      case UInt8(ascii: "&"): text += try reference().utf8
      // In an attribute value, line ends count as blanks.
      case 0x09 where isValue, 0x0A where isValue: text.append(0x20)
      case 0x0D:
        // In text, every kind of line end becomes a line feed.
        if current == 0x0A { continue }
        text.append(isValue ? 0x20 : 0x0A)
      case 0x09, 0x0A: text.append(byte)
      case ..<0x20, UInt8(ascii: "<"): throw malformed
      default: text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads the rest of a reference, after its `&`.
  private mutating func reference() throws(ModelFileError) -> String {
    let start = position
    while let byte = current, byte != UInt8(ascii: ";"), position - start < 12 { position += 1 }
    let name = String(decoding: bytes[start..<position], as: UTF8.self)
    guard take(";") else { throw malformed }
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let number =
        name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
      guard name.hasPrefix("#"), let scalar = number.flatMap(Unicode.Scalar.init),
        scalar.value >= 0x20 || scalar.value == 0x09 || scalar.value == 0x0A
          || scalar.value == 0x0D
      else { throw malformed }
      return String(scalar)
    }
  }

  private mutating func name() throws(ModelFileError) -> String {
    let start = position
    while let byte = current, byte.isNameByteInXML { position += 1 }
    guard start < position, !bytes[start].isInnerNameByteInXML else { throw malformed }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }
}

// MARK: - Bytes

extension ModelFileReader {
  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func isAt(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[position...].starts(with: $0) }
  }

  /// Skips a text if it is here, and returns whether it was.
  private mutating func take(_ text: StaticString) -> Bool {
    guard isAt(text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  @discardableResult
  private mutating func skipSpaces() -> Bool {
    let start = position
    while let byte = current, byte.isSpaceInXML { position += 1 }
    return start < position
  }

  /// Skips everything up to the end of a text.
  private mutating func skip(to end: StaticString) throws(ModelFileError) {
    while position < bytes.count {
      if take(end) { return }
      position += 1
    }
    throw malformed
  }

  /// The number of the current line, counted from 1.
  private var currentLine: Int {
    mutating get {
      line += bytes[counted..<position].count(where: { $0 == 0x0A })
      counted = position
      return line
    }
  }

  private var malformed: ModelFileError {
    mutating get { .malformed(line: currentLine) }
  }
}

extension UInt8 {
  fileprivate var isSpaceInXML: Bool { self == 0x20 || (0x09...0x0A) ~= self || self == 0x0D }

  /// Whether a name may contain the byte, but not begin with it.
  fileprivate var isInnerNameByteInXML: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= self || self == UInt8(ascii: "-")
      || self == UInt8(ascii: ".")
  }

  /// Whether a name may contain the byte.
  ///
  /// This includes letters of other scripts.
  fileprivate var isNameByteInXML: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")) ~= self
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")) ~= self
      || self == UInt8(ascii: "_") || self == UInt8(ascii: ":") || self >= 0x80
      || isInnerNameByteInXML
  }
}

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

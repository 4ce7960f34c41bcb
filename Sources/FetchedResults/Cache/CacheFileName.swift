/// The name of a section cache's file: the cache's name.
///
/// Characters that a file name cannot hold are written as `%` and two hexadecimal digits.
enum CacheFileName {
  private static let suffix = ".frccache"

  static func file(of name: String) -> String {
    var file = name.isEmpty ? "%" : ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: " "):
        file.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        file += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return file + suffix
  }

  /// Returns the name of the cache in a file; nil if the file does not belong to a cache.
  static func name(of file: String) -> String? {
    guard file.hasSuffix(suffix) else { return nil }
    let encoded = file.dropLast(suffix.count)
    if encoded == "%" { return "" }
    var bytes: [UInt8] = []
    var rest = Substring(encoded).utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let code = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
        rest = rest.dropFirst(2)
        bytes.append(code)
      } else {
        bytes.append(byte)
      }
    }
    guard let name = String(validating: bytes, as: UTF8.self), self.file(of: name) == file else {
      return nil
    }
    return name
  }
}

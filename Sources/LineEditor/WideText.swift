import CLibEdit

extension String {
  /// Creates a text from wide characters.
  ///
  /// Invalid ones become U+FFFD.
  init(wide characters: UnsafeBufferPointer<wchar_t>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count)
    for character in characters {
      if 0..<0x80 ~= character {
        bytes.append(UInt8(character))
      } else {
        let scalar = Unicode.Scalar(UInt32(bitPattern: character)) ?? "\u{FFFD}"
        bytes += Array(String(scalar).utf8)
      }
    }
    self.init(decoding: bytes, as: UTF8.self)
  }

  /// Calls `body` with this text as wide characters that end with a NUL.
  func withWide<Result>(_ body: (UnsafePointer<wchar_t>) -> Result) -> Result {
    var characters = unicodeScalars.map { wchar_t(bitPattern: $0.value) }
    characters.append(0)
    return characters.withUnsafeBufferPointer { buffer in
      // An array with an element has an address.
      withExtendedLifetime(buffer) { body(buffer.baseAddress.unsafelyUnwrapped) }
    }
  }
}

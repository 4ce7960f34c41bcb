import CLibEdit

extension String {
  /// Creates a text from wide characters; what is none becomes U+FFFD.
  init(wide characters: some Sequence<wchar_t>) {
    var scalars = String.UnicodeScalarView()
    for character in characters {
      scalars.append(Unicode.Scalar(UInt32(bitPattern: character)) ?? "\u{FFFD}")
    }
    self.init(scalars)
  }

  /// Calls `body` with this text in wide characters and a NUL behind them.
  func withWide<Result>(_ body: (UnsafePointer<wchar_t>) -> Result) -> Result {
    var characters = unicodeScalars.map { wchar_t(bitPattern: $0.value) }
    characters.append(0)
    return characters.withUnsafeBufferPointer { buffer in
      // An array with an element has an address.
      withExtendedLifetime(buffer) { body(buffer.baseAddress.unsafelyUnwrapped) }
    }
  }
}

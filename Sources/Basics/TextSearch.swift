extension StringProtocol {
  /// Returns the first place of a text, compared by its bytes; nil if there is none.
  ///
  /// The standard library's `firstRange(of:)` compares characters, and prepares a table for each
  /// search, which takes longer than to look through a line.
  ///
  /// - Complexity: O(*n* · *m*) for *n* bytes and a text of *m* bytes.
  package func firstRange(ofBytes text: String) -> Range<String.Index>? {
    var line = Substring(self)
    guard let start = line.withUTF8({ $0.firstIndex(ofBytes: text) }) else { return nil }
    let first = utf8.index(startIndex, offsetBy: start)
    return first..<utf8.index(first, offsetBy: text.utf8.count)
  }

  /// Whether a text is a part of this one, compared by its bytes.
  package func contains(bytesOf text: String) -> Bool {
    var line = Substring(self)
    return line.withUTF8 { $0.firstIndex(ofBytes: text) } != nil
  }
}

extension ArraySlice<UInt8> {
  /// Returns the first range with these bytes; nil if there is none.
  package func firstRange(ofBytes bytes: [UInt8]) -> Range<Int>? {
    let found = withUnsafeBufferPointer { line in
      bytes.withUnsafeBufferPointer { line.firstIndex(of: $0) }
    }
    return found.map { startIndex + $0..<startIndex + $0 + bytes.count }
  }

  /// Whether a byte is one of these.
  package func contains(byte: UInt8) -> Bool { withUnsafeBufferPointer { $0.contains(byte) } }

  /// The index of the first line feed or carriage return; nil if there is none.
  package var firstLineEnd: Int? {
    let found = withUnsafeBufferPointer { bytes in bytes.firstIndex { $0 == 0x0A || $0 == 0x0D } }
    return found.map { startIndex + $0 }
  }

  /// The index of the first byte that is neither a blank nor a control character; nil if there is
  /// none.
  package var firstVisible: Int? {
    let found = withUnsafeBufferPointer { bytes in bytes.firstIndex { $0 > 0x20 } }
    return found.map { startIndex + $0 }
  }

  /// How many scalars begin among bytes of UTF-8, and how many of them are pairs in UTF-16.
  package var scalarCounts: (all: Int, pairs: Int) {
    withUnsafeBufferPointer { bytes in
      var (all, pairs) = (0, 0)
      for byte in bytes {
        if byte & 0xC0 != 0x80 { all += 1 }
        if byte >= 0xF0 { pairs += 1 }
      }
      return (all, pairs)
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func firstIndex(ofBytes text: String) -> Int? {
    var text = text
    return text.withUTF8 { firstIndex(of: $0) }
  }

  /// Returns where other bytes are found first.
  fileprivate func firstIndex(of bytes: Self) -> Int? {
    guard let first = bytes.first, bytes.count <= count else { return bytes.isEmpty ? 0 : nil }
    return (0...(count - bytes.count)).first { place in
      self[place] == first && (1..<bytes.count).allSatisfy { self[place + $0] == bytes[$0] }
    }
  }
}

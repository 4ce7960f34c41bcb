import Synchronization

/// The last two texts that were cut into parts.
///
/// At one key the same text is asked for several times: for its colours, for what can be
/// completed, and for what a string names. The other text is the part before the cursor.
enum TextPartsMemory {
  private struct Entry {
    let text: String
    let parts: TextParts
  }

  private static let entries = Mutex<[Entry]>([])
  private static let most = 2

  /// Returns the parts of a text, and reads it only where it is not one of the last.
  static func parts(of text: String, read: () -> TextParts) -> TextParts {
    let known = entries.withLock { entries in entries.first { $0.text == text }?.parts }
    if let known { return known }
    let parts = read()
    entries.withLock { entries in
      if entries.count == most { entries.removeFirst() }
      entries.append(Entry(text: text, parts: parts))
    }
    return parts
  }
}

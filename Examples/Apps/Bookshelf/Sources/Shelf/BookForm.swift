import Terminal

/// The fields of a book while they are filled in.
public struct BookForm: Hashable, Sendable {
  /// The names of the fields, in order.
  static let names = ["Title", "Author", "Shelf"]

  /// The texts of the fields.
  private(set) var texts: [String]
  /// The field that keys go to.
  private(set) var current = 0

  /// Creates a form with empty fields.
  public init() { texts = Self.names.map { _ in "" } }

  /// Creates a form with a book's values.
  public init(_ draft: BookDraft) { texts = [draft.title, draft.author, draft.shelf] }

  /// Takes a key.
  ///
  /// Enter goes to the next field, and at the last one ends the form.
  ///
  /// - Returns: The book once it is complete; a book without a title is not.
  mutating func press(_ key: Key) -> BookDraft? {
    switch key {
    case .character(let character): texts[current].append(character)
    case .backspace: _ = texts[current].popLast()
    case .tab, .down: current = (current + 1) % texts.count
    case .up: current = (current + texts.count - 1) % texts.count
    case .enter:
      guard current == texts.count - 1 else {
        current += 1
        return nil
      }
      guard !texts[0].isEmpty else {
        current = 0
        return nil
      }
      return BookDraft(title: texts[0], author: texts[1], shelf: texts[2])
    default: break
    }
    return nil
  }
}

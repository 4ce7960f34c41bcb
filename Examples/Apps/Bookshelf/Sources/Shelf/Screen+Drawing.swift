public import FetchedResultsMacros
public import Terminal

extension Screen {
  /// How many lines the list has room for.
  var listHeight: Int { max(0, size.rows - 1 - footer.count) }

  /// The lines of the whole window.
  ///
  /// - Parameter draft: Gives the values of a book; nil where it was deleted since the last
  ///   difference. It is asked for visible books only.
  public func lines(draft: (ObjectID) -> BookDraft?) -> [TerminalLine] {
    var lines = [TerminalLine(header, .inverse)]
    for line in list.lines(height: listHeight) {
      switch line {
      case .section(let name, let count): lines.append(TerminalLine("\(name) (\(count))", .bold))
      case .book(let id, let isSelected):
        let text = draft(id).map(Self.text) ?? "…"
        lines.append(TerminalLine("\(isSelected ? ">" : " ") \(text)", isSelected ? .bold : .plain))
      }
    }
    while lines.count < size.rows - footer.count { lines.append(TerminalLine("")) }
    return (lines + footer).prefix(size.rows).map {
      TerminalLine($0.text.fitted(to: size.columns), $0.style)
    }
  }

  private static func text(_ draft: BookDraft) -> String {
    draft.author.isEmpty ? draft.title : "\(draft.title), \(draft.author)"
  }

  private var header: String {
    let name = search.isEmpty ? "Bookshelf" : "Bookshelf: \(search)"
    let count = list.count == 1 ? "1 book" : "\(list.count) books"
    let gap = size.columns - name.columns - count.columns
    return gap > 0 ? name + String(repeating: " ", count: gap) + count : name
  }

  /// The lines at the bottom: a message or what is typed, and the keys.
  private var footer: [TerminalLine] {
    switch mode {
    case .browsing:
      [
        TerminalLine(message),
        TerminalLine("/ search  a add  e edit  d delete  u undo  r redo  i import  q quit", .dim),
      ]
    case .searching:
      [
        TerminalLine("Search: \(search)_"),
        TerminalLine("Enter keeps the search  Esc ends it", .dim),
      ]
    case .editing(_, let form):
      zip(BookForm.names, form.texts).enumerated().map { index, field in
        let isCurrent = index == form.current
        return TerminalLine(
          "\(field.0): \(field.1)\(isCurrent ? "_" : "")", isCurrent ? .bold : .plain)
      } + [TerminalLine("Enter next field, then save  Esc cancel", .dim)]
    case .importing(let path):
      [
        TerminalLine("File: \(path)_"),
        TerminalLine("a line for each book: title, author, shelf, with tabs  Esc cancel", .dim),
      ]
    }
  }
}

import GoldenTesting
import ScriptSyntax

/// The changes of `frc fmt`, as edits of lines.
///
/// Like `frc fmt`, it does not change Markdown.
struct Formatting {
  let script: ParsedScript
  let text: DocumentText

  /// Returns the edits; none for a script with an error, which `frc fmt` does not change either.
  ///
  /// - Parameter lines: The lines that may change, counted from 0; nil for all. Empty lines at the
  ///   end are removed only with all.
  func edits(in lines: ClosedRange<Int>? = nil) -> [TextEdit] {
    guard !script.hasErrors, !GoldenTest.isMarkdown(script.source.name) else { return [] }
    let formatted = ScriptFormatter.format(script)
    guard formatted != text.bytes else { return [] }
    let old = Self.lines(text.bytes)
    let new = Self.lines(formatted)
    var edits: [TextEdit] = []
    for index in 0..<min(old.count, new.count) where old[index] != new[index] {
      let first = text.line(of: old[index].startIndex)
      guard lines?.contains(first) ?? true else { continue }
      edits.append(edit(old[index].startIndex..<old[index].endIndex, new[index]))
    }
    // Only empty lines at the end are left out.
    if old.count > new.count, lines == nil {
      edits.append(edit(old[new.count].startIndex..<text.bytes.count, []))
    } else if new.count > old.count, lines == nil {
      let end = text.bytes.count
      edits.append(edit(end..<end, formatted[new[old.count].startIndex...]))
    }
    return edits
  }

  /// Returns the edits when a line end was typed: the form of the line before, and the indentation
  /// of the new line.
  func edits(afterLineEndAt position: Position) -> [TextEdit] {
    guard !GoldenTest.isMarkdown(script.source.name) else { return [] }
    let line = text.contents(ofLine: position.line)
    let blanks = text.bytes[line].prefix { $0 == 0x20 || $0 == 0x09 }
    let entry = String(decoding: text.bytes[..<line.lowerBound], as: UTF8.self)
    var indentation = TextParts.indentation(after: entry, as: .file)
    // A line that closes a bracket is indented less.
    let next = text.bytes[line].dropFirst(blanks.count).first
    if let next, [UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]")].contains(next) {
      indentation = String(indentation.dropLast(2))
    }
    var edits = position.line > 0 ? self.edits(in: (position.line - 1)...(position.line - 1)) : []
    if !blanks.elementsEqual(indentation.utf8) {
      let range = line.lowerBound..<(line.lowerBound + blanks.count)
      edits.append(TextEdit(range: text.range(of: range), newText: indentation))
    }
    return edits
  }

  /// Returns the edit that replaces the part of a range in which the two texts differ.
  private func edit(_ range: Range<Int>, _ bytes: ArraySlice<UInt8>) -> TextEdit {
    TextEdit(
      range: text.range(of: range), newText: String(decoding: bytes, as: UTF8.self))
  }

  /// Returns the lines of a text with their ends.
  private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for offset in bytes.indices where bytes[offset] == UInt8(ascii: "\n") {
      lines.append(bytes[start...offset])
      start = offset + 1
    }
    if start < bytes.count { lines.append(bytes[start...]) }
    return lines
  }
}

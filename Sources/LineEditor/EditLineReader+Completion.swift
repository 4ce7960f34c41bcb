extension EditLineReader {
  /// Completes the text before the cursor as far as it is certain, or lists
  /// what can stand there.
  func complete() -> KeyResult {
    guard let completions else { return .refused }
    let line = line
    let completion = completions(line.text, line.before.utf8.count)
    guard (0...line.before.utf8.count).contains(completion.replacementStart) else {
      return .refused
    }
    let typed = String(
      decoding: line.before.utf8.dropFirst(completion.replacementStart), as: UTF8.self)
    switch completion.step(from: typed) {
    case .nothing:
      return .refused
    case .replace(let text):
      deleteBackward(typed)
      insert(text)
    case .list:
      // The line is drawn again below the list.
      finishLine()
      write(CandidateList(completion.candidates, fitting: size).rows.map { $0 + "\r\n" }.joined())
    }
    return .done
  }
}

import LineEditor
import PromptTools
import ScriptRuntime

extension PromptEntry {
  /// Returns the completions in a command; nil if the text is not a command.
  ///
  /// - Parameters:
  ///   - text: The entry.
  ///   - offset: The cursor's position, in UTF-8 bytes.
  ///   - files: Lists a folder; nil if there is none.
  static func completion(
    in text: String, at offset: Int, files: (String) -> [String]? = { _ in nil }
  ) -> Completion? {
    let before = String(decoding: Array(text.utf8.prefix(offset)), as: UTF8.self)
    guard before.hasPrefix(":") else { return nil }
    let words = before.dropFirst().split(separator: " ", omittingEmptySubsequences: false)
    let typed = String(words.last ?? "")
    var start = before.utf8.count - typed.utf8.count
    var choices: [Completion.Candidate] = []
    switch words.count {
    case 1:
      choices = PromptCommand.allCases.map { command in
        Completion.Candidate(
          command.rawValue + (command.isWhole ? "" : " "), detail: command.summary)
      }
    case 2:
      let command = PromptCommand.named(words[0].lowercased())
      if command == .load || command == .record {
        let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
        start += folder.utf8.count
        choices = Self.files(in: folder, files)
        return Completion(
          replacementStart: start,
          candidates: choices.filter { $0.text.hasPrefix(typed.dropFirst(folder.count)) })
      }
      choices = Self.arguments(of: command)
    default:
      if words[0] == "record", words.count == 3 {
        choices = [Completion.Candidate("try", detail: "keeps statements that failed")]
      }
    }
    return Completion(
      replacementStart: start,
      candidates: choices.filter { $0.text.hasPrefix(typed.lowercased()) })
  }

  private static func arguments(of command: PromptCommand?) -> [Completion.Candidate] {
    switch command {
    case .help, .try:
      Help.topics.sorted { $0.name < $1.name }
        .map { Completion.Candidate($0.name, detail: $0.lines[0]) }
    case .mode:
      OutputFormat.allCases.map { Completion.Candidate($0.rawValue, detail: $0.summary) }
    case .theme:
      PromptTheme.Name.allCases.map { Completion.Candidate($0.rawValue, detail: $0.summary) }
    case .timer, .predict, .all: ["on", "off"]
    case .pane: ["off"]
    case .would, .keys, .history, .load, .edit, .rerun, .more, .page, .undo, .redo, .goto,
      .timeline, .record, .play, .share,
      .clear, .quit,
      nil:
      []
    }
  }

  private static func files(
    in folder: String, _ files: (String) -> [String]?
  ) -> [Completion.Candidate] {
    (files(folder.isEmpty ? "." : folder) ?? []).filter { !$0.hasPrefix(".") }.compactMap { name in
      if files(folder + name) != nil { return Completion.Candidate(name + "/", detail: "folder") }
      return name.hasSuffix(".frc") ? Completion.Candidate(name, detail: "script") : nil
    }
  }
}

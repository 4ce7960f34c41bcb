import Foundation
import Platform

/// Opens the user's own editor on a text.
enum ExternalEditor {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Lets the user edit a text in the same terminal, and waits until the editor ends.
  static func edit(_ text: String) throws(Failure) -> String {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-\(UUID().uuidString).frc")
    defer { try? FileManager.default.removeItem(at: file) }
    do {
      try Data((text + "\n").utf8).write(to: file)
    } catch {
      throw Failure(description: "no file to edit can be made in '\(file.path)'")
    }
    let editors = ["VISUAL", "EDITOR"].compactMap { ProcessEnvironment[$0] }
    let editor = editors.first { !$0.isEmpty } ?? "vi"
    // The editor's command may contain arguments, so a shell runs it. The file's name is quoted.
    let status = run(editor + " '" + file.path.replacing("'", with: "'\\''") + "'")
    guard status == 0 else {
      throw Failure(
        description: "'\(editor)' exited with an error; set $VISUAL or $EDITOR to another editor")
    }
    guard let bytes = FileManager.default.contents(atPath: file.path) else {
      throw Failure(description: "'\(editor)' has left no text")
    }
    var edited = String(decoding: bytes, as: UTF8.self)
    while edited.last?.isNewline == true { edited.removeLast() }
    return edited
  }

  /// Runs a shell command, which then receives Ctrl-C.
  private static func run(_ command: String) -> Int32 { ProcessCalls.runShell(command) }
}

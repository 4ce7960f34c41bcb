import Foundation
import Platform

/// The user's own editor, on a text.
enum ExternalEditor {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Lets the user edit a text, in the same terminal, and waits for it.
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
    // The editor may come with arguments, so a shell reads it; and it takes the
    // file's name as one that the shell does not.
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

  /// Runs a shell command; Ctrl-C is the command's meanwhile.
  private static func run(_ command: String) -> Int32 { ProcessCalls.runShell(command) }
}

import Foundation
import Platform

/// Opens the user's own editor on a text.
enum ExternalEditor {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Lets the user edit a text in the same terminal, and waits until the editor ends.
  static func edit(_ text: String) throws(Failure) -> String {
    let name = "statement.frc"
    let folder: TemporaryFolder
    do throws(SystemError) {
      folder = try TemporaryFolder()
      let file = try folder.opened().open(name, .creating, permissions: 0o600)
      try file.descriptor.write((text + "\n").utf8)
    } catch {
      throw Failure(
        description: "no file to edit can be made in '\(TemporaryFolder.parent)': \(error.words)")
    }
    defer { folder.remove() }
    let editors = ["VISUAL", "EDITOR"].compactMap { ProcessEnvironment[$0] }
    let editor = editors.first { !$0.isEmpty } ?? "vi"
    // The editor's command may contain arguments, so a shell runs it. The file's name is quoted.
    let status = run(editor + " '" + folder.path(of: name).replacing("'", with: "'\\''") + "'")
    guard status == 0 else {
      throw Failure(
        description: "'\(editor)' exited with an error; set $VISUAL or $EDITOR to another editor")
    }
    // The editor may have replaced the file by another one.
    guard let bytes = try? OpenFile.contents(of: folder.path(of: name)) else {
      throw Failure(description: "'\(editor)' has left no text")
    }
    var edited = String(decoding: bytes, as: UTF8.self)
    while edited.last?.isNewline == true { edited.removeLast() }
    return edited
  }

  /// Runs a shell command, which then receives Ctrl-C.
  private static func run(_ command: String) -> Int32 { ProcessCalls.runShell(command) }
}

import Glibc
import PseudoTerminal

/// Starts the probe and waits for its first prompt.
func probe(
  history: String? = nil,
  arguments: [String] = [],
  environment: [String: String?] = [:],
  columns: Int = 60,
  rows: Int = 20
) throws -> PseudoTerminal {
  let terminal = try PseudoTerminal(
    PseudoTerminal.builtProgram("LineEditorProbe"),
    arguments: (history.map { ["--history", $0] } ?? []) + arguments,
    environment: environment,
    columns: columns,
    rows: rows)
  try terminal.wait(forPrompt: "frc> ")
  return terminal
}

/// A folder for one test, which is removed with its contents.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/line-editor-tests-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    guard let folder = opendir(path) else { return }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { remove(path + "/" + name) }
    }
    closedir(folder)
    remove(path)
  }

  /// The path of a file in the folder.
  func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file, and replaces an old one.
  func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
    let bytes = Array(bytes)
    guard let stream = fopen(file(name), "w") else { throw Failure(code: errno) }
    defer { fclose(stream) }
    guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else { throw Failure(code: errno) }
  }

  /// Reads a file; nil if there is none.
  func read(_ name: String) -> String? {
    guard let stream = fopen(file(name), "r") else { return nil }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    while case let byte = getc(stream), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// An error of the file system.
  struct Failure: Error {
    let code: Int32
  }
}

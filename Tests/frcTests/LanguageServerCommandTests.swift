import Foundation
import LanguageServer
import LineEditor
import ScriptSyntax
import Testing

@testable import frc

@Suite("frc lsp: the server as a process")
struct LanguageServerCommandTests {
  private static func framed(_ messages: [String]) -> String {
    messages.map { "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" }.joined()
  }

  private static let start =
    #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#

  @Test("a session from 'initialize' to 'exit' ends with status 0")
  func session() throws {
    let program = try FRCProgram(["library.frc": "entity Book { title: String }\n"])
    let uri = "file://" + program.folder.path + "/a.frc"
    let open = try Self.open("include \"library.frc\"\ninser Book(title: 1)\n", in: program)
    let ask =
      #"{"jsonrpc":"2.0","id":3,"method":"textDocument/diagnostic","params":{"textDocument":"#
      + #"{"uri":"\#(uri)"}}}"#
    let result = try program.run(
      ["lsp"],
      input: Self.framed([
        Self.start, open, ask, #"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#,
        #"{"jsonrpc":"2.0","method":"exit"}"#,
      ]))

    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.output.contains("did you mean 'insert'?"), "\(result.output)")
  }

  @Test("a script that is not saved yet includes files of its own folder")
  func unsaved() throws {
    let program = try FRCProgram()
    try program.write("entity Book { title: String }\n", to: "sub/library.frc")
    let uri = "file://" + program.folder.path + "/sub/a.frc"
    let open = try Self.open("include \"library.frc\"\nfetch Bok\n", in: program, "/sub")
    let ask =
      #"{"jsonrpc":"2.0","id":3,"method":"textDocument/diagnostic","params":{"textDocument":"#
      + #"{"uri":"\#(uri)"}}}"#
    let result = try program.run(
      ["lsp"], input: Self.framed([Self.start, open, ask, Self.shutdown]))

    #expect(result.output.contains("did you mean 'Book'?"), "\(result.output)")
  }

  @Test("the server ends when the editor goes away without a word")
  func end() throws {
    let program = try FRCProgram()
    let result = try program.run(["lsp"], input: Self.framed([Self.start]))

    #expect(result.status == 1)
    #expect(result.output.contains(#""name":"frc""#))
  }

  @Test("a mistake in frc.toml is shown in that file")
  func settings() throws {
    let program = try FRCProgram(["frc.toml": "tmeout = \"5s\"\n"])
    try program.write(
      Self.framed([Self.start, Self.open("print 1\n", in: program)]), to: "input")
    // Diagnostics are sent when no message waits.
    let result = try program.shell("(cat input; sleep 1) | frc lsp")

    #expect(result.output.contains(program.name + "/frc.toml"), "\(result.output)")
    #expect(result.output.contains("unknown key 'tmeout'; did you mean 'timeout'?"))
  }

  @Test(
    "references and renames look for scripts in the folder, and leave out hidden ones",
    arguments: ["", "/sub/link"])
  func project(folder: String) throws {
    let program = try FRCProgram()
    try program.write("", to: "frc.toml")
    try program.write("include \"../a.frc\"\nfetch Book\n", to: "sub/b.frc")
    try program.write("include \"../a.frc\"\nfetch Book\n", to: ".hidden/c.frc")
    try program.write("```frc\ninclude \"../a.frc\"\nfetch Book\n```\n", to: "sub/page.md")
    try program.write("entity Book { title: String }\n", to: "a.frc")
    // A link to the folder is another way to the same files.
    try FileManager.default.createSymbolicLink(
      atPath: program.folder.path + "/sub/link", withDestinationPath: "..")
    let uri = "file://" + program.folder.path + folder + "/a.frc"
    let rename =
      #"{"jsonrpc":"2.0","id":3,"method":"textDocument/rename","params":{"newName":"Novel","#
      + #""textDocument":{"uri":"\#(uri)"},"position":{"line":0,"character":8}}}"#
    let result = try program.run(
      ["lsp"],
      input: Self.framed([
        Self.start, Self.open("entity Book { title: String }\n", in: program, folder), rename,
        Self.shutdown,
      ]))

    #expect(result.output.contains(program.name + "/sub/b.frc"), "\(result.output)")
    #expect(result.output.contains(program.name + "/sub/page.md"), "\(result.output)")
    #expect(!result.output.contains("hidden"))
  }

  private static let shutdown = #"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#

  private static func open(
    _ text: String, in program: FRCProgram, _ folder: String = ""
  ) throws -> String {
    let uri = "file://" + program.folder.path + folder + "/a.frc"
    try program.write(text, to: "a.frc")
    let quoted = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    return
      #"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"#
      + #""uri":"\#(uri)","languageId":"frc","version":1,"text":\#(quoted)}}}"#
  }

  @Test("a script with more errors than a pipe holds has a message in place of a page")
  func manyErrors() throws {
    let program = try FRCProgram()
    let open = try Self.open(String(repeating: "inser\n", count: 1500), in: program)
    let play =
      #"{"jsonrpc":"2.0","id":3,"method":"workspace/executeCommand","params":{"#
      + #""command":"frc.playAsPage","arguments":[{"uri":"file://\#(program.folder.path)/a.frc"}]}}"#
    try program.write(Self.framed([Self.start, open, play]), to: "input")
    // The server ends with its input, so that stays open until the message is there.
    let result = try program.shell(
      """
      touch out
      (
        cat input; n=0
        until grep -q "page cannot be" out || [ $n = 400 ]; do sleep 0.05; n=$((n + 1)); done
      ) | frc lsp >out
      grep -o "the page cannot be written" out
      """)

    #expect(result.output == "the page cannot be written\n", "\(result)")
  }

  @Test("an editor colours what the prompt colours, and in as many ways")
  func colours() {
    let roles: [TextPart.Role] = [
      .word, .entity, .name, .variable, .object, .number, .date, .string, .comment, .sign,
      .bracket(depth: 0), .strayBracket, .openBracket, .unknown,
    ]
    let theme = PromptTheme(usesColor: true, isLight: false)
    var styles: [TextStyle: Int] = [:]
    for role in roles {
      let type = TokenColours.type(of: role)
      let style = theme.style(of: role)
      #expect((type == nil) == (style == .plain), "\(role)")
      if let type { #expect(styles.updateValue(type, forKey: style) ?? type == type, "\(role)") }
    }
  }

  #if os(Linux)
  @Test("a run that is killed says so, and a client that dies leaves no process")
  func killed() throws {
    let program = try FRCProgram()
    try program.write(
      Self.framed([Self.start, Self.open("repeat 1000000000 { }\n", in: program)]), to: "start")
    let again = try Self.open("repeat 1000000000 { print 1 }\n", in: program)
    // The client dies in the middle of a message, while the second run goes on.
    try program.write(Self.framed([again]), to: "again")
    try program.write("Content-Length: 100\r\n\r\n{\"json", to: "half")
    let result = try program.shell(
      """
      mkfifo in; frc lsp <in >out & server=$!; exec 3>in
      child() {
        n=0
        while [ $n -lt 400 ]; do
          for c in $(cat /proc/$server/task/*/children 2>/dev/null); do
            if [ "$c" != "$1" ]; then echo $c; return; fi
          done
          sleep 0.05; n=$((n + 1))
        done
      }
      cat start >&3
      first=$(child none); kill -9 $first
      n=0; until grep -q SIGKILL out || [ $n = 400 ]; do sleep 0.05; n=$((n + 1)); done
      grep -o SIGKILL out | head -1
      cat again >&3
      second=$(child $first); cat half >&3; exec 3>&-
      wait $server; echo "status $?"
      n=0
      while grep -qs '^State:.*[RSD] ' /proc/$second/status && [ $n -lt 400 ]; do
        sleep 0.05; n=$((n + 1))
      done
      if grep -qs '^State:.*[RSD] ' /proc/$second/status; then echo "still there"; fi
      """)

    #expect(result.output == "SIGKILL\nstatus 1\n", "\(result)")
  }
  #endif
}

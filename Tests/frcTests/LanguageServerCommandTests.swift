import Foundation
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
    let program = try FRCProgram()
    try program.write("entity Book { title: String }\n", to: "library.frc")
    let uri = "file://" + program.folder.path + "/a.frc"
    let open =
      #"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"\#(uri)","#
      + #""languageId":"frc","version":1,"text":"include \"library.frc\"\ninser Book(title: 1)\n"}}}"#
    try program.write("", to: "a.frc")
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

  @Test("the server ends when the editor goes away without a word")
  func end() throws {
    let program = try FRCProgram()
    let result = try program.run(["lsp"], input: Self.framed([Self.start]))

    #expect(result.status == 1)
    #expect(result.output.contains(#""name":"frc""#))
  }
}

import Basics
import FetchedResults
import Foundation
import RandomLaws
import Testing

/// The bytes of a model file: encodings, references, and what is refused.
@Suite("The text of a model file")
struct ModelFileTextTests {
  private func read(_ text: String) throws -> ModelFile {
    try ModelFile(contents: Array(text.utf8))
  }

  private func fault(_ bytes: [UInt8]) -> ModelFileError? {
    do {
      _ = try ModelFile(contents: bytes)
      return nil
    } catch {
      return error
    }
  }

  private func fault(_ text: String) -> ModelFileError? { fault(Array(text.utf8)) }

  /// The name of the only entity.
  private func name(_ bytes: [UInt8]) throws -> String? {
    try ModelFile(contents: bytes).entities.first?.name
  }

  @Test("text in another encoding is read where the file says which")
  func encodings() throws {
    let body = "<model><entity name=\"Caf\u{E9}\"/></model>"
    func declared(_ encoding: String) -> String {
      "<?xml version=\"1.0\" encoding=\"\(encoding)\" standalone=\"yes\"?>\n" + body
    }
    #expect(try name(Array(body.utf8)) == "Café")
    #expect(try name([0xEF, 0xBB, 0xBF] + declared("utf-8").utf8) == "Café")
    #expect(
      try name(declared("ISO-8859-1").unicodeScalars.map { UInt8($0.value) }) == "Café")
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
      let mark: [UInt8] = encoding == .utf16BigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE]
      let text = try #require(declared("UTF-16").data(using: encoding))
      #expect(try name(mark + text) == "Café")
      #expect(fault(mark + text.dropLast()) == .unknownEncoding("UTF-16"))
    }
    #expect(fault(declared("KOI8-R")) == .unknownEncoding("KOI8-R"))
    #expect(
      fault(Array("<model>\n<".utf8) + [0xE1] + Array("sme/></model>".utf8)) == .notUTF8(line: 2))
  }

  @Test("references, character data and comments")
  func references() throws {
    let file = try read(
      """
      <!-- A model -->
      <!DOCTYPE model SYSTEM "nothing-to-read.dtd">
      <model><!-- <entity/> --><![CDATA[ <entity/> ]]>
        <entity name='A&amp;B'><attribute name="s" attributeType="String"
          defaultValueString="&lt;&#65;&#x42;&#10;&quot;&apos;&gt;	.
      "/></entity>
      </model>
      <!-- the end -->
      """)
    #expect(file.entities.map(\.name) == ["A&B"])
    #expect(file.entities[0].attributes[0].defaultValue == .string("<AB\n\"'> . "))
  }

  @Test("lines end as they may end, and errors name them")
  func lineEnds() throws {
    #expect(
      fault("<?xml version=\"1.0\"\n?>\r\n<model>\r\n<entity>\r\n</model>") == .malformed(line: 5))
    #expect(
      fault("<model>\n\n<entity/>\n</model>")
        == .missing(attribute: "name", element: "entity", line: 3))
  }

  @Test("a processing instruction is refused")
  func processingInstructions() {
    #expect(fault("<model>\n<?x?></model>") == .processingInstruction(line: 2))
    #expect(fault("\n<?xml version=\"1.0\"?><model/>") == .processingInstruction(line: 2))
    #expect(fault("<model/><?x?>") == .processingInstruction(line: 1))
  }

  @Test("a document type that declares something is refused, however little")
  func declarations() {
    #expect(
      fault("<!DOCTYPE model [<!ENTITY a \"b\">]>\n<model>&a;</model>") == .declarations(line: 1))
    #expect(fault("<!DOCTYPE model SYSTEM 'a[b'\n[]><model/>") == .declarations(line: 2))
    #expect(fault("<!DOCTYPE model SYSTEM 'a[b'><model/>") == nil)
    // Each use of the long entity would copy it.
    let bomb =
      "<!DOCTYPE model [<!ENTITY a \"" + String(repeating: "x", count: 10_000) + "\">]><model>"
      + String(repeating: "<e a=\"&a;\"/>", count: 1_000) + "</model>"
    #expect(fault(bomb) == .declarations(line: 1))
  }

  @Test("a model that was compiled, or saved by Xcode 3, is named as such")
  func binary() {
    #expect(fault("bplist00\u{1}") == .binaryModel)
  }

  @Test("elements nest no deeper than in any model")
  func depth() {
    let text = String(repeating: "<model>", count: 100_000)
    #expect(fault(text) == .tooDeep(line: 1))
  }

  @Test(
    "text that is not well-formed is one error",
    arguments: [
      "", " ", "<", "<>", "</a>", "<a", "<a b>", "<a b=1/>", "<a b='1' b='2'/>", "<a b='<'/>",
      "<a b='1'c='2'/>",
      "<a>&b;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#;</a>", "<a>&", "<a></b>", "<a/><a/>",
      "x<a/>",
      "<a/>x", "<a>\u{1}</a>", "<!-- <a/>", "<a><![CDATA[</a>", "<![CDATA[]]><a/>", "<!DOCTYPE",
      "<a><!DOCTYPE a></a>",
      "<1/>", "<a 1='1'/>", "<a b=\"1'/>", "<!x><a/>",
    ])
  func malformed(text: String) {
    #expect(fault(text) == .malformed(line: 1))
  }

  @Test("whatever bytes there are, they are a model or one error")
  func randomBytes() throws {
    let sample = Array(
      """
      <?xml version="1.0" encoding="UTF-8"?><!DOCTYPE model SYSTEM "a"><model>
      <entity name="A" parentEntity="B"><attribute name="a" attributeType="Integer 16"
      defaultValueString="&#65;" minValueString="1"/><![CDATA[x]]><!-- c --></entity>
      <entity name="B"><relationship name="r" destinationEntity="A" inverseName="r"/></entity></model>
      """.utf8)
    let pieces: [[UInt8]] =
      ["<", ">", "/", "\"", "'", "&", ";", "#", "<?", "<!", "[", "]]>", "\0", "="].map {
        Array($0.utf8)
      } + [[0xC3], [0xFF, 0xFE], [0x80]]
    for seed in LawSeeds(seconds: 0.6, atLeast: 100) {
      var random = SeededGenerator(seed: seed)
      var bytes = sample
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...6, using: &random))
        bytes.replaceSubrange(start..<end, with: pieces.randomElement(using: &random) ?? [])
      }
      // An error of an unknown kind would end the process.
      let text = fault(bytes)?.description
      #expect(text?.isEmpty != true, "seed \(seed)")
    }
  }
}
